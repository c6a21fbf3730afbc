import type { Server } from 'node:http'
import { RfqError } from '../domain/errors.ts'
import type { Clock } from '../relay/ports/clock.ts'
import type { Log } from '../relay/ports/log.ts'
import { bucketOf } from './client-address.ts'
import { writeRefusal } from './failures.ts'
import { hearConnections } from './hear-connections.ts'
import type { ServerSettings } from './route-context.ts'
import { createTrustedPeers } from './trusted-peers.ts'

/** How often refused connections are told of at most, in milliseconds. */
const NOTE_MS = 60_000

/**
 * Bounds how many connections are open, in all and from one address: each takes a descriptor, and a relay without any left
 * can neither write its store nor ask its chain. A proxy that is trusted has as many as it needs, since it brings the
 * connections of others.
 */
export function capConnections(
  server: Server,
  { clock, log, settings }: { clock: Clock; log: Log; settings: ServerSettings },
): void {
  const { maxConnections, maxConnectionsPerAddress, trustProxy } = settings
  const isTrusted = createTrustedPeers(trustProxy)
  const counts = new Map<string, number>()
  const note = createNote({ clock, log })
  if (maxConnections !== null) server.maxConnections = maxConnections
  server.on('drop', () => note('the limit of open connections is reached'))
  if (maxConnectionsPerAddress === null) return
  // Where descriptors are few, one address leaves the others half of them.
  const mostOfOne = Math.min(maxConnectionsPerAddress, Math.ceil((maxConnections ?? Infinity) / 2))
  hearConnections(server, (socket) => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined || isTrusted(remoteAddress)) return
    const name = bucketOf(remoteAddress)
    const count = counts.get(name) ?? 0
    if (count >= mostOfOne) {
      note('one address has reached its limit of open connections')
      writeRefusal(socket, new RfqError('too_many_connections'))
      socket.destroySoon()
      return
    }
    counts.set(name, count + 1)
    socket.once('close', () => {
      const left = (counts.get(name) as number) - 1
      if (left > 0) counts.set(name, left)
      else counts.delete(name)
    })
  })
}

/** Warns at once, and then of all that came in between at most once in a while. */
function createNote({ clock, log }: { clock: Clock; log: Log }): (reason: string) => void {
  let count = 0
  let quietUntil = 0
  return (reason) => {
    count += 1
    if (clock.now() < quietUntil) return
    log.warn('connections_refused', { count, reason })
    quietUntil = clock.now() + NOTE_MS
    count = 0
  }
}
