// Buys options for $100: asks all makers, lets them compete for two seconds, commits to the best quote and fills it.
// Beside a running sandbox (rfqctl up):  node examples/javascript/taker.mjs [.rfqctl]
import { readFileSync } from 'node:fs'
import { createTakerClient, formatUsd6, RelayError, toRequestedOption, usd6 } from 'rfqctl/client'
import { http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

// The sandbox has test wallets. Yours would come from a keystore, and the addresses from your own settings: never from a
// relay, because it would then say whom you pay.
const { url, rpcUrl, chainId, settlementAddress, coreAddress, takers } = JSON.parse(
  readFileSync(`${process.argv[2] ?? '.rfqctl'}/sandbox.json`, 'utf8'),
)
const account = privateKeyToAccount(takers[0].privateKey)
const chain = { chainId, settlementAddress, coreAddress, transport: http(rpcUrl) }
const taker = createTakerClient({ url, account, chain })

const now = (await taker.getTime()) / 1_000
const series = (await taker.listSeries({ optionType: 'call', settled: false })).find(({ expiry }) => expiry > now + 600)
if (series === undefined) throw new Error('no call lives for ten minutes more')

const { conditionId, yesTokenId } = series
const request = await taker.openQuoteRequest({
  market: { conditionId, yesTokenId },
  option: toRequestedOption(series),
  trade: { side: 'buy', budget: usd6(100_000_000n) },
})
console.log(`request ${request.requestId}: ${request.makersConnected} makers hear it`)

const best = await bestWithin(2_000)
if (best === null) {
  await taker.cancelQuoteRequest({ request })
  throw new Error('no maker quoted')
}
try {
  // The price shown is the limit: no fallback to another maker can fill at a worse one.
  const commitment = await taker.commitToBestQuote({ request, shown: best })
  if (commitment.onchain === null) throw new Error('a simulated trade has no order')
  // The order is checked against what was asked for and shown before anything is approved or paid.
  const { fill } = await taker.fillOrder({ commitment })
  const { optionAmount, premiumAmount } = commitment.onchain.order
  console.log(`bought ${optionAmount} for $${formatUsd6(premiumAmount)} in transaction ${fill.transactionHash}`)
} catch (error) {
  if (!(error instanceof RelayError)) throw error
  // Every refusal has a stable code, and says whether another try makes sense.
  console.error(`refused: ${error.code}, ${error.retryable ? 'try again' : (error.hint ?? error.message)}`)
  process.exitCode = 1
}

async function bestWithin(ms = 1_000) {
  let shown = null
  try {
    for await (const { bestQuote } of taker.watchBestQuote({ request, signal: AbortSignal.timeout(ms) }))
      shown = bestQuote
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'TimeoutError') throw error
  }
  return shown
}
