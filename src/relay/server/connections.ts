import type { Server } from 'node:http'
import { BlockList, isIP, type Socket } from 'node:net'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Clock, Log, Stop } from '../core/ports/runtime.ts'
import { bucketOf } from './client-address.ts'
import { writeRefusal } from './failures.ts'
import type { ServerSettings } from './route-context.ts'

export type Holder = { apiKey: string | null; address: string }

type ConnectionSettings = Pick<ServerSettings, 'maxConnections' | 'maxConnectionsPerAddress' | 'trustProxy'>

/** Counts live streams and sockets. `take` throws `too_many_connections`. */
export type ConnectionLimits = { take: (holder: Holder) => Stop }

/** Short, because connections come and go quickly. */
const RETRY_AFTER_S = 5

/** Refused connections are logged at most this often. */
const WARN_INTERVAL_MS = 60_000

/** Calls `listener` once per connection: the server emits it again for each request for another protocol. */
export function onConnection(server: Server, listener: (socket: Socket) => void): void {
  const known = new WeakSet<Socket>()
  server.on('connection', (socket: Socket) => {
    if (known.has(socket)) return
    known.add(socket)
    listener(socket)
  })
}

/**
 * Browsers and HTTP pools open connections ahead of need. Node counts them as busy, so a closing server would wait for
 * them; the returned function ends those on which nothing was ever asked.
 */
export function watchSilentConnections(server: Server): () => void {
  const open = new Set<Socket>()
  onConnection(server, (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
  }
}

/** Null means no limit. Connections without a key count for their address only. */
export function createConnectionLimits(limits: {
  maxStreamsPerKey: number
  maxStreamsPerAddress: number | null
}): ConnectionLimits {
  const keys = createCounter(limits.maxStreamsPerKey)
  const addresses = createCounter(limits.maxStreamsPerAddress ?? Number.POSITIVE_INFINITY)

  return {
    take: ({ apiKey, address }) => {
      const leaveAddress = addresses.take(address)
      const leaveKey = apiKey === null ? () => {} : keys.take(apiKey)
      if (leaveAddress !== null && leaveKey !== null) {
        return () => {
          leaveKey()
          leaveAddress()
        }
      }
      leaveAddress?.()
      leaveKey?.()
      throw new RfqError('too_many_connections', { data: { retryAfterS: RETRY_AFTER_S } })
    },
  }
}

/**
 * Bounds open connections, in total and per address: each takes a descriptor, and a relay without any left can neither
 * write its store nor ask its chain. A trusted proxy has no bound per address, since it brings the connections of
 * others.
 */
export function capConnections(
  server: Server,
  { clock, log, settings }: { clock: Clock; log: Log; settings: ConnectionSettings },
): void {
  const { maxConnections, maxConnectionsPerAddress, trustProxy } = settings
  const isTrusted = createTrustedPeers(trustProxy)
  const warn = createRefusalWarning({ clock, log })
  if (maxConnections !== null) server.maxConnections = maxConnections
  server.on('drop', () => warn('the limit of open connections is reached'))
  if (maxConnectionsPerAddress === null) return
  // One address leaves half of the descriptors to the others, even if they are few.
  const addresses = createCounter(Math.min(maxConnectionsPerAddress, Math.ceil((maxConnections ?? Infinity) / 2)))
  onConnection(server, (socket) => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined || isTrusted(remoteAddress)) return
    const leave = addresses.take(bucketOf(remoteAddress))
    if (leave !== null) return void socket.once('close', leave)
    warn('one address has reached its limit of open connections')
    writeRefusal(socket, new RfqError('too_many_connections'))
    socket.destroySoon()
  })
}

/** `take` returns null beyond the maximum. */
function createCounter(max: number): { take: (name: string) => Stop | null } {
  const counts = new Map<string, number>()
  return {
    take: (name) => {
      const count = counts.get(name) ?? 0
      if (count >= max) return null
      counts.set(name, count + 1)
      return () => {
        const left = (counts.get(name) ?? 0) - 1
        if (left > 0) counts.set(name, left)
        else counts.delete(name)
      }
    },
  }
}

/** Warns at once, then at most once per interval, with the number of refusals since. */
function createRefusalWarning({ clock, log }: { clock: Clock; log: Log }): (reason: string) => void {
  let count = 0
  let quietUntil = 0
  return (reason) => {
    count += 1
    if (clock.now() < quietUntil) return
    log.warn('connections_refused', { count, reason })
    quietUntil = clock.now() + WARN_INTERVAL_MS
    count = 0
  }
}

/** Matches the addresses of peers; `true`, or a number of hops, trusts every peer. */
function createTrustedPeers(trustProxy: ServerSettings['trustProxy']): (address: string) => boolean {
  if (typeof trustProxy !== 'string') return () => trustProxy !== false && trustProxy !== 0
  const list = new BlockList()
  for (const entry of trustProxy.split(',')) {
    const [address = '', prefix] = entry.trim().split('/')
    if (isIP(address) === 0) continue
    if (prefix === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(prefix), familyOf(address))
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address))
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6')
