import { connect, createServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { listen } from '../kit/server.ts'

/** A wire between a client and a server that can be cut in several ways. */
export type TcpProxy = {
  port: number
  /** Lets everything through, from now on, and what was held back first. */
  pass: () => void
  /** Breaks all connections and takes no more. */
  cut: () => void
  /** Breaks all connections; new ones are taken at once. */
  reset: () => void
  /** Holds everything back, in both directions, and on new connections too: nobody is told, nothing is lost. */
  freeze: () => void
  /** From now on everything arrives so much later, in milliseconds, in either direction. */
  delay: (ms: number) => void
  /** Leads new connections to another server, and breaks those that are open. */
  pointTo: (target: Place) => void
  /** The next time that a client sends `bytes`, they arrive, but no answer comes back and the connection breaks. */
  loseAnswerTo: (bytes: string) => void
  /** The next time that a client sends `bytes`, they do not arrive and the connection breaks. */
  loseRequest: (bytes: string) => void
  close: () => Promise<void>
}

type Place = { host: string; port: number }

type Trap = { bytes: string; arrives: boolean }

/** A proxy on a free port of the loopback. `fromServer` makes, of each piece of an answer, what is passed on. */
export async function createTcpProxy(
  target: Place,
  fromServer: () => (chunk: Buffer) => Buffer = () => (chunk) => chunk,
): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let place = target
  let isCut = false
  let isFrozen = false
  let delayMs = 0
  let trap: Trap | null = null

  /** What is still on its way to a socket. */
  const onTheWay = new WeakMap<Socket, Promise<unknown>>()

  /** Bytes keep their order, also when the wire gets faster while some are on their way. */
  function send(to: Socket, chunk: Buffer): void {
    const former = onTheWay.get(to)
    if (delayMs === 0 && former === undefined) {
      to.write(chunk)
      return
    }
    const arrival = Promise.all([former, setTimeout(delayMs)]).then(() => {
      if (to.writable) to.write(chunk)
      if (onTheWay.get(to) === arrival) onTheWay.delete(to)
    })
    onTheWay.set(to, arrival)
  }

  const server = createServer({ noDelay: true, pauseOnConnect: true }, (client) => {
    if (isCut) {
      client.destroy()
      return
    }
    const upstream = connect(place)
    upstream.setNoDelay(true)
    let isDeaf = false
    const filter = fromServer()
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
      send(upstream, chunk)
    })
    // The server's answer shows that it has done what it was asked.
    upstream.on('data', (chunk) => (isDeaf ? breakOff() : send(client, filter(chunk))))
    for (const socket of [client, upstream]) isFrozen ? socket.pause() : socket.resume()
  })
  const { port, close } = await listen(server)

  const reset = () => {
    for (const socket of sockets) socket.destroy()
  }
  const cut = () => {
    isCut = true
    reset()
  }

  return {
    port,
    pass: () => {
      isCut = false
      isFrozen = false
      for (const socket of sockets) socket.resume()
    },
    cut,
    reset,
    freeze: () => {
      isFrozen = true
      for (const socket of sockets) socket.pause()
    },
    delay: (ms) => {
      delayMs = ms
    },
    pointTo: (other) => {
      place = other
      reset()
    },
    loseAnswerTo: (bytes) => {
      trap = { bytes, arrives: true }
    },
    loseRequest: (bytes) => {
      trap = { bytes, arrives: false }
    },
    close: () => {
      cut()
      return close()
    },
  }
}
