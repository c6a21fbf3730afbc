import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export type Backend = { host: string; port: number }

/**
 * Hands connections to backends in turn, skipping those that take none. A connection stays with its backend, whatever
 * is sent on it: HTTP, event streams and WebSockets alike.
 */
export async function startRoundRobin(input: { host: string; port: number; backends: readonly Backend[] }) {
  const { host, port, backends } = input
  const sockets = new Set<Socket>()
  let next = 0

  function keep(socket: Socket): void {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  }

  /** Tries each backend once, in order. */
  function forward(client: Socket, [backend, ...others]: readonly Backend[]): void {
    if (backend === undefined) {
      client.destroy()
      return
    }
    const upstream = connect(backend)
    const refused = () => forward(client, others)
    upstream.once('error', refused)
    upstream.once('connect', () => {
      upstream.off('error', refused)
      keep(upstream)
      joinSockets(client, upstream)
    })
  }

  const server: Server = createServer({ pauseOnConnect: true, noDelay: true }, (client) => {
    keep(client)
    client.on('error', () => client.destroy())
    // One order per connection: many at once must not make each other try a backend twice.
    forward(client, [...backends.slice(next), ...backends.slice(0, next)])
    next = (next + 1) % backends.length
  })
  server.listen(port, host)
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    close: async (): Promise<void> => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function joinSockets(client: Socket, upstream: Socket): void {
  upstream.setNoDelay(true)
  upstream.on('error', () => client.destroy())
  client.on('close', () => upstream.destroy())
  upstream.on('close', () => client.destroy())
  client.pipe(upstream)
  upstream.pipe(client)
}
