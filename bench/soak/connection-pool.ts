import { connect, type Socket } from 'node:net'

/** Opens connections to one relay, and knows how many of them there are: its descriptors are held against that. */
export type ConnectionPool = {
  /** `onText` gets bytes as Latin-1 text, so that lengths count; `onEnd` is called once, however the connection ended. */
  open: (handlers: { onText: (text: string) => void; onEnd: (fault: Error) => void }) => Socket
  live: () => number
  closeAll: () => void
}

/**
 * Raw sockets: two hundred makers send and hear some thirty thousand things a second, and a general HTTP client would be
 * busier with that than the relay. `url` is the relay's HTTP address.
 */
export function createConnectionPool(url: string): ConnectionPool {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  /** Those of which the relay may know. */
  const connected = new Set<Socket>()
  return {
    open: ({ onText, onEnd }) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      let fault = new Error('the relay closed a connection')
      sockets.add(socket)
      socket.on('connect', () => connected.add(socket))
      socket.setEncoding('latin1')
      socket.on('data', (text) => onText(String(text)))
      socket.on('error', (error) => {
        fault = error
      })
      socket.on('close', () => {
        sockets.delete(socket)
        connected.delete(socket)
        onEnd(fault)
      })
      return socket
    },
    live: () => connected.size,
    closeAll: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Connections of a pool that end together, as those of one process do; `closeAll` ends these and no others. */
export function createConnectionGroup({ open }: ConnectionPool): ConnectionPool {
  const sockets = new Set<Socket>()
  return {
    open: ({ onText, onEnd }) => {
      const socket = open({
        onText,
        onEnd: (fault) => {
          sockets.delete(socket)
          onEnd(fault)
        },
      })
      sockets.add(socket)
      return socket
    },
    live: () => sockets.size,
    closeAll: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}
