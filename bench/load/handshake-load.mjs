import { WebSocket } from 'ws'
import { offer } from '../lab/rpc.mjs'
import { call, encodeRequest, openHttpConnection } from './http-connection.mjs'

const COMMIT = encodeRequest('POST', '/commit', { body: { wallet: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' } })

let confirm
let rest
let taker
let onMessage = () => {}
offer({
  connect: async ({ port, signature }) => {
    confirm = encodeRequest('POST', '/confirm', { body: { signature } })
    rest = openHttpConnection(port)
    taker = openHttpConnection(port)
    const socket = new WebSocket(`ws://127.0.0.1:${port}`)
    socket.on('message', (data) => {
      JSON.parse(data.toString())
      onMessage()
    })
    await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject))
  },
  shake: async ({ times }) => {
    const latencies = []
    for (let i = 0; i < times; i += 1) {
      const asked = new Promise((resolve) => {
        onMessage = resolve
      })
      const begun = performance.now()
      const committed = call(taker, COMMIT)
      await asked
      await call(rest, confirm)
      await committed
      latencies.push(performance.now() - begun)
    }
    return latencies
  },
})
