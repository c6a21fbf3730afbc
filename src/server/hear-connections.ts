import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Hears of each connection once. One that asked for another protocol is given back to the server as if it were new, any
 * number of times.
 */
export function hearConnections(server: Server, hear: (socket: Socket) => void): void {
  const known = new WeakSet<Socket>()
  server.on('connection', (socket: Socket) => {
    if (known.has(socket)) return
    known.add(socket)
    hear(socket)
  })
}
