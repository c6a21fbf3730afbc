import { recoverTypedDataAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { buildOrder, orderDigest, orderDomain, orderTypedData } from '../../dist/modules/protocol/domain/order.js'
import { contracts, usd6 } from '../../dist/modules/protocol/domain/units.js'
import { createSignatures } from '../../dist/modules/relay/adapters/signing.js'
import { offer } from './rpc.mjs'
import { MAKER, TAKER } from './scene.mjs'

const account = privateKeyToAccount(MAKER.privateKey)
const domain = orderDomain(80_002, TAKER)
const signatures = createSignatures()

let signed = []
offer({
  prepare: async ({ orders }) => {
    const all = Array.from({ length: orders }, (_, nonce) => orderOf(nonce))
    signed = await Promise.all(
      all.map(async (order) => ({ order, signature: await account.sign({ hash: orderDigest(order, domain) }) })),
    )
  },
  viem: () =>
    perSecond(({ order, signature }) => recoverTypedDataAddress({ ...orderTypedData(order, domain), signature })),
  ours: () => perSecond(recover),
  longestMs: async () => {
    let longest = 0
    for (const one of signed) {
      const begun = performance.now()
      await recover(one)
      longest = Math.max(longest, performance.now() - begun)
    }
    return longest
  },
})

const recover = ({ order, signature }) => signatures.recover(orderDigest(order, domain), signature)

async function perSecond(work) {
  const begun = performance.now()
  for (const one of signed) if ((await work(one)) !== account.address) throw new Error('recovered somebody else')
  return signed.length / ((performance.now() - begun) / 1_000)
}

const orderOf = (nonce) =>
  buildOrder({
    request: { trade: { side: 'buy', budget: usd6(100000000n) }, seriesId: `${10n ** 76n}` },
    quote: { maker: account.address, price: usd6(120000n), size: contracts(1000n) },
    taker: TAKER,
    validUntil: 1_800_000_000,
    nonce,
  })
