import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A wire between a client and a server that can be cut in several ways. */
export type TcpProxy = {
  port: number
  /** Lets everything through, from now on. */
  pass: () => void
  /** Breaks all connections and takes no more. */
  cut: () => void
  /** The next time that a client sends `bytes`, they arrive, but no answer comes back and the connection breaks. */
  loseAnswerTo: (bytes: string) => void
  /** The next time that a client sends `bytes`, they do not arrive and the connection breaks. */
  loseRequest: (bytes: string) => void
  close: () => Promise<void>
}

type Trap = { bytes: string; arrives: boolean }

/** A proxy on a free port of the loopback. */
export async function createTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let isCut = false
  let trap: Trap | null = null

  const server = createServer((client) => {
    if (isCut) {
      client.destroy()
      return
    }
    const upstream = connect(target)
    let isDeaf = false
    const breakOff = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', breakOff)
      socket.on('close', () => {
        sockets.delete(socket)
        breakOff()
      })
    }
    client.on('data', (chunk) => {
      const sprung = trap !== null && chunk.includes(trap.bytes) ? trap : null
      if (sprung !== null) trap = null
      if (sprung !== null && !sprung.arrives) return breakOff()
      if (sprung !== null) isDeaf = true
      upstream.write(chunk)
    })
    // The server's answer shows that it has done what it was asked.
    upstream.on('data', (chunk) => (isDeaf ? breakOff() : client.write(chunk)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }

  return {
    port: (server.address() as AddressInfo).port,
    pass: () => {
      isCut = false
    },
    cut,
    loseAnswerTo: (bytes) => {
      trap = { bytes, arrives: true }
    },
    loseRequest: (bytes) => {
      trap = { bytes, arrives: false }
    },
    close: async () => {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
