import { privateKeyToAccount } from 'viem/accounts'
import { WebSocket } from 'ws'
import { offer } from '../lab/rpc.mjs'
import { MAKER } from '../lab/scene.mjs'
import { call, encodeRequest, openHttpConnection } from './http-connection.mjs'

const COMMIT = encodeRequest('POST', '/commit', { body: { wallet: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' } })

const HASH = `0x${'5a'.repeat(32)}`
const account = privateKeyToAccount(MAKER.privateKey)

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
  shake: ({ times }) => shakeHands(times, async () => {}),
  /** The same by a maker that signs before it confirms. That is not counted, but both processes have slept or done else. */
  shakeSigning: ({ times }) => shakeHands(times, () => account.sign({ hash: HASH })),
})

async function shakeHands(times, prepare) {
  const latencies = []
  for (let i = 0; i < times; i += 1) {
    const asked = new Promise((resolve) => {
      onMessage = resolve
    })
    const begun = performance.now()
    const committed = call(taker, COMMIT)
    await asked
    const askedAt = performance.now()
    await prepare()
    const preparedAt = performance.now()
    await call(rest, confirm)
    await committed
    latencies.push(performance.now() - preparedAt + (askedAt - begun))
  }
  return latencies
}
