import { createServer } from 'node:http'
import { offer } from './rpc.mjs'

/**
 * Event streams of Node alone. `GET` opens one; `POST` writes one prepared buffer to the socket of each in a plain loop,
 * and answers. Nobody is authenticated, nothing is parsed, and no slow reader is dropped.
 */
const HEAD = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', connection: 'close' }

const sockets = new Set()
let frame = Buffer.from('data: {}\n\n')

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, HEAD)
    response.write('event: connected\ndata: {}\n\n')
    sockets.add(response.socket)
    response.socket.once('close', () => sockets.delete(response.socket))
    return
  }
  request.resume()
  request.on('end', () => {
    for (const socket of sockets) socket.write(frame)
    response.end('{}')
  })
})

offer({
  /** Resolves with the port. */
  listen: () =>
    new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(/** @type {any} */ (server.address()).port))),
  /** What `POST` writes: a frame that the relay sent, so that both move the same bytes. */
  setFrame: (bytes) => {
    frame = Buffer.from(bytes)
  },
})
