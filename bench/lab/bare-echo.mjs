import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'
import { offer } from './rpc.mjs'

/** Sends each message back as it came. */
offer({
  listen: async () => {
    const server = createServer()
    const sockets = new WebSocketServer({ server, perMessageDeflate: false })
    sockets.on('connection', (socket) => {
      socket.on('message', (data) => socket.send(data, { binary: false }))
    })
    await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
    return server.address().port
  },
})
