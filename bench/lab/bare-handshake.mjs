import Fastify from 'fastify'
import { WebSocketServer } from 'ws'
import { createSignatures } from '../../dist/modules/relay/adapters/signing.js'
import { offer } from './rpc.mjs'

offer({
  listen: async ({ digest, message, answer }) => {
    const signatures = createSignatures()
    let socket = null
    let waiting = null
    const app = Fastify()
    app.post('/commit', (_, reply) => {
      waiting = reply
      socket?.send(message)
    })
    app.post('/confirm', async (request) => {
      await signatures.recover(digest, request.body.signature)
      waiting?.header('content-type', 'application/json').send(answer)
      return { success: true }
    })
    const sockets = new WebSocketServer({ server: app.server, perMessageDeflate: false })
    sockets.on('connection', (opened) => {
      socket = opened
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    return app.server.address().port
  },
})
