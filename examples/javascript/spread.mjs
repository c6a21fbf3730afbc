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
const calls = await taker.listSeries({ optionType: 'call', settled: false })
const [bought, sold] = calls
  .filter(({ expiry }) => expiry > now + 600)
  .flatMap((low) => calls.filter((high) => isAbove(high, low)).map((high) => [low, high]))[0]

const { conditionId, yesTokenId, expiry } = bought
const legs = [
  { optionType: 'call', strikeBps: bought.strikeBps, quantity: 1 },
  { optionType: 'call', strikeBps: sold.strikeBps, quantity: -1 },
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
const { fill } = await taker.fillOrder({ commitment })
const { optionAmount, premiumAmount } = commitment.onchain.order
console.log(`bought ${optionAmount} for $${formatUsd6(premiumAmount)} in transaction ${fill.transactionHash}`)

function isAbove(high, low) {
  return high.yesTokenId === low.yesTokenId && high.expiry === low.expiry && high.strikeBps > low.strikeBps
}

async function bestWithin(ms) {
  let best = null
  try {
    for await (const { bestQuote } of taker.watchBestQuote({ request, signal: AbortSignal.timeout(ms) }))
      best = bestQuote
  } catch (error) {
    if (error.name !== 'TimeoutError') throw error
  }
  return best
}
