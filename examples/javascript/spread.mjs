// Buys a call spread for $100: registers the package where it is new, asks, takes the best quote of two seconds and fills it.
// Beside a running sandbox (rfqctl up):  node examples/javascript/spread.mjs [.rfqctl]
import { readFileSync } from 'node:fs'
import { computeMaxPayoff, createTakerClient, formatUsd6, toRequestedOption, usd6 } from 'rfqctl/client'
import { http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const { url, rpcUrl, chainId, settlementAddress, coreAddress, takers } = JSON.parse(
  readFileSync(`${process.argv[2] ?? '.rfqctl'}/sandbox.json`, 'utf8'),
)
const account = privateKeyToAccount(takers[0].privateKey)
const chain = { chainId, settlementAddress, coreAddress, transport: http(rpcUrl) }
const taker = createTakerClient({ url, account, chain })

// Two calls of one market that expire together, the lower strike first.
const now = (await taker.getTime()) / 1_000
const series = await taker.listSeries({ optionType: 'call', settled: false })
const calls = series.filter((one) => 'strikeBps' in one)
const [pair] = calls
  .filter(({ expiry }) => expiry > now + 600)
  .flatMap((bought) => calls.map((sold) => ({ bought, sold })))
  .filter(({ bought, sold }) => sold.yesTokenId === bought.yesTokenId && sold.expiry === bought.expiry)
  .filter(({ bought, sold }) => sold.strikeBps > bought.strikeBps)
if (pair === undefined) throw new Error('no two calls of a market expire together')

const { bought, sold } = pair
const { conditionId, yesTokenId, expiry, optionType } = bought
const legs = [
  { optionType, strikeBps: bought.strikeBps, quantity: 1 },
  { optionType, strikeBps: sold.strikeBps, quantity: -1 },
]
// Anyone may register a package, once for all who trade it.
const { seriesId } = await taker.registerPackage({ terms: { conditionId, yesTokenId, expiry, legs } })
const spread = await taker.getSeries({ seriesId })
console.log(`the spread pays at most $${formatUsd6(computeMaxPayoff(spread))}`)

const request = await taker.openQuoteRequest({
  market: { conditionId, yesTokenId },
  option: toRequestedOption(spread),
  trade: { side: 'buy', budget: usd6(100_000_000n) },
})
const shown = await bestWithin(2_000)
if (shown === null) throw new Error('no maker quoted')
const commitment = await taker.commitToBestQuote({ request, shown })
if (commitment.onchain === null) throw new Error('a simulated trade has no order')
const { fill } = await taker.fillOrder({ commitment })
const { optionAmount, premiumAmount } = commitment.onchain.order
console.log(`bought ${optionAmount} for $${formatUsd6(premiumAmount)} in transaction ${fill.transactionHash}`)

async function bestWithin(ms = 1_000) {
  let best = null
  try {
    for await (const { bestQuote } of taker.watchBestQuote({ request, signal: AbortSignal.timeout(ms) }))
      best = bestQuote
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'TimeoutError') throw error
  }
  return best
}
