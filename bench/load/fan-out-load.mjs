import { connect } from 'node:net'
import { offer } from '../lab/rpc.mjs'

/** Many readers of one broadcast, and the one who causes it. Readers cost little: they look only at where a chunk ends. */

/** How many readers are opened at a time: fewer than any listen backlog holds. */
const AT_ONCE = 200

/** Shorter chunks are keep-alive. */
const SHORTEST_EVENT = 100

/** What SSE frames and NATS messages end with; each fits one chunk. */
const LINE_END = 10

/** @typedef {{ sockets: import('node:net').Socket[], trigger: import('node:net').Socket, onEvent: (bytes: Buffer) => void }} Opening */

/** @type {Opening[]} */
const openings = []

offer({
  /**
   * Opens readers that each say `hello` and resolves with the number of the opening when all were answered.
   * @param {{ port: number, hello: Uint8Array, count: number }} input
   */
  open: async ({ port, hello, count }) => {
    /** @type {Opening} */
    const opening = { sockets: [], trigger: await open(port), onEvent: () => {} }
    opening.trigger.on('data', () => {})
    while (opening.sockets.length < count) {
      const size = Math.min(AT_ONCE, count - opening.sockets.length)
      opening.sockets.push(...(await Promise.all(Array.from({ length: size }, () => openReader(port, hello, opening)))))
    }
    return openings.push(opening) - 1
  },
  /**
   * Sends `triggers` one after the other: from the write of each to its arrival at the last reader, milliseconds.
   * @param {{ opening: number, triggers: Uint8Array[] }} input
   */
  broadcast: async ({ opening, triggers }) => {
    const latencies = []
    for (const trigger of triggers) latencies.push(await broadcast(openings[opening], trigger))
    return latencies
  },
  /** One broadcast, for what each reader gets of it. */
  sample: async ({ opening, trigger }) => {
    const { promise, arrived } = lastArrival(openings[opening])
    openings[opening].trigger.write(trigger)
    await promise
    return arrived.bytes
  },
  close: (opening) => {
    for (const socket of [...openings[opening].sockets, openings[opening].trigger]) socket.destroy()
  },
})

async function broadcast(opening, trigger) {
  const { promise } = lastArrival(opening)
  const begun = performance.now()
  opening.trigger.write(trigger)
  await promise
  const tookMs = performance.now() - begun
  // The answer to the trigger, and whatever else the server still has to do, is no part of the next broadcast.
  await new Promise((resolve) => setTimeout(resolve, 5))
  return tookMs
}

function lastArrival(opening) {
  const arrived = { bytes: Buffer.alloc(0) }
  let missing = opening.sockets.length
  const promise = new Promise((resolve) => {
    opening.onEvent = (bytes) => {
      missing -= 1
      if (missing > 0) return
      arrived.bytes = bytes
      resolve(undefined)
    }
  })
  return { promise, arrived }
}

/** @returns {Promise<import('node:net').Socket>} */
function open(port) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.once('connect', () => resolve(socket))
    socket.once('error', reject)
  })
}

async function openReader(port, hello, opening) {
  const socket = await open(port)
  socket.write(hello)
  await new Promise((resolve) => socket.once('data', resolve))
  socket.on('data', (bytes) => {
    if (bytes.length >= SHORTEST_EVENT && bytes.at(-1) === LINE_END) opening.onEvent(bytes)
  })
  return socket
}
