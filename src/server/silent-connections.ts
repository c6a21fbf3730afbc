import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { hearConnections } from './hear-connections.ts'

/**
 * Connections on which nothing was ever asked: browsers and HTTP pools open some ahead of need. Node counts them as busy,
 * so that a server that closes would wait for them; the returned function ends those that are open.
 */
export function watchSilentConnections(server: Server): () => void {
  const open = new Set<Socket>()
  hearConnections(server, (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
  }
}
