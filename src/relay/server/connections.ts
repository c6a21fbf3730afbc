import type { Server } from 'node:http'
import { BlockList, isIP, type Socket } from 'node:net'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Clock, Log, Stop } from '../core/ports/runtime.ts'
import { bucketOf } from './client-address.ts'
import { writeRefusal } from './failures.ts'
import type { ServerSettings } from './route-context.ts'

/** Who holds a stream or a socket open. */
export type Holder = { apiKey: string | null; address: string }

/** How many connections may be open, and which of them are a proxy's. */
type ConnectionSettings = Pick<ServerSettings, 'maxConnections' | 'maxConnectionsPerAddress' | 'trustProxy'>

/** Counts live streams and sockets and refuses too many with `too_many_connections`. */
export type ConnectionLimits = { take: (holder: Holder) => Stop }

/** When to come back, in seconds: connections come and go quickly. */
const RETRY_AFTER_S = 5

/** How often refused connections are warned of at most, in milliseconds. */
const WARN_INTERVAL_MS = 60_000

/**
 * Calls for each connection once. One that asked for another protocol is given back to the server as if it were new, any
 * number of times.
 */
export function onConnection(server: Server, listener: (socket: Socket) => void): void {
  const known = new WeakSet<Socket>()
  server.on('connection', (socket: Socket) => {
    if (known.has(socket)) return
    known.add(socket)
    listener(socket)
  })
}

/**
 * Connections on which nothing was ever asked: browsers and HTTP pools open some ahead of need. Node counts them as busy,
 * so that a server that closes would wait for them; the returned function ends those that are open.
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

/** Limits of streams and sockets per key and per address; null is none. Those without a key count only for their address. */
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
 * Bounds how many connections are open, in all and from one address: each takes a descriptor, and a relay without any left
 * can neither write its store nor ask its chain. A proxy that is trusted has as many as it needs, since it brings the
 * connections of others.
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
  // Where descriptors are few, one address leaves the others half of them.
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

/** Counts by name up to a maximum, beyond which there is null instead of a way to leave. */
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

/** Warns at once, and then of all that came in between at most once in a while. */
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

/** Tells the connections of proxies that are trusted, by the addresses they come from, from those of clients. */
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
