import { connect } from 'node:net'
import { offer } from '../lab/rpc.mjs'
import { encodeRequest } from './http-connection.mjs'

const openings = []

/** How many streams are opened at a time: fewer than any listen backlog holds. */
const AT_ONCE = 200

offer({
  open: async ({ port, path, headers = {}, count }) => {
    const request = encodeRequest('GET', path, { headers: { ...headers, accept: 'text/event-stream' } })
    const sockets = []
    while (sockets.length < count) {
      const size = Math.min(AT_ONCE, count - sockets.length)
      sockets.push(...(await Promise.all(Array.from({ length: size }, () => openStream(port, request)))))
    }
    openings.push(sockets)
    return openings.length - 1
  },
  close: (opening) => {
    for (const socket of openings[opening] ?? []) socket.destroy()
  },
})

function openStream(port, request) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.once('data', (bytes) => {
      if (bytes.toString('latin1', 9, 12) === '200') resolve(socket)
      else reject(new Error(bytes.toString()))
    })
    socket.once('error', reject)
    socket.on('data', () => {})
    socket.write(request)
  })
}
