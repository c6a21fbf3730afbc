// Quotes every request at less than the option would pay now, and signs what that wins, until Ctrl-C.
// Beside a running sandbox (rfqctl up):  node examples/javascript/maker.mjs [.rfqctl]
import { readFileSync } from 'node:fs'
import { computeMaxPayoff, contracts, createMakerClient, formatUsd6, toUsd6, UNLIMITED, usd6 } from 'rfqctl/client'
import { http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

// A maker of the sandbox that no program of rfqctl plays. Yours has an API key of "rfqctl keys create" and a wallet of its own.
const { url, rpcUrl, chainId, settlementAddress, coreAddress, makers } = JSON.parse(
  readFileSync(`${process.argv[2] ?? '.rfqctl'}/sandbox.json`, 'utf8'),
)
const { apiKey, privateKey } = makers.at(-1)
const chain = { chainId, settlementAddress, coreAddress, transport: http(rpcUrl) }
const maker = createMakerClient({ url, apiKey, account: privateKeyToAccount(privateKey), chain })

const stop = new AbortController()
const { signal } = stop
process.once('SIGINT', () => stop.abort())

// Sold options lock collateral in the core; bought ones are paid for through the settlement contract.
await maker.approveSpender({ spender: 'core', amount: UNLIMITED, signal })
await maker.approveSpender({ spender: 'settlement', amount: UNLIMITED, signal })

// Both streams always reconnect and resume where they were; they end by the signal, or when the key is refused.
await Promise.all([quote(), sign()]).catch((error) => {
  if (!signal.aborted) throw error
})

async function quote() {
  const prices = new Map((await maker.listMarkets({ signal })).map((market) => [market.conditionId, market.yesPrice]))
  for await (const event of maker.watchQuoteRequests({ signal })) {
    if (event.kind === 'connected') console.log(`quoting as ${event.makerId}`)
    if (event.kind !== 'quote_request' || 'legs' in event.request.terms.option) continue
    const { requestId, terms } = event.request
    // A model goes here. This one asks nine tenths of what the option would pay now: it wins, and loses money over time.
    const { optionType, strikeBps } = event.request.terms.option
    const yesPrice = terms.market.yesPrice ?? prices.get(terms.market.conditionId) ?? 0.5
    const [yes, strike] = [toUsd6(yesPrice, 'half-up') ?? 0n, BigInt(strikeBps) * 100n]
    const pays = ((optionType === 'call' ? yes - strike : strike - yes) * 9n) / 10n
    const least = computeMaxPayoff(terms.option) / 1_000n
    const price = usd6(pays > least ? pays : least)
    const size = terms.trade.side === 'buy' ? contracts(100_000n) : terms.trade.size
    await maker.submitQuote({ request: event.request, price, size, signal }).then(
      () => console.log(`${requestId}: quoted $${formatUsd6(price)} for up to ${size}`),
      // A refusal of one quote is no reason to stop: the request may be over already.
      (error) => console.error(`${requestId}: ${error.code ?? error.message}`),
    )
  }
}

async function sign() {
  for await (const message of maker.watchOrders({ signal })) {
    // The client signs only what it quoted itself, on the contract it was made for; anything else throws.
    if (message.kind === 'accepted') {
      const { acceptance } = message
      await maker.confirmOrder({ acceptance, signal }).catch((error) => console.error(error.message))
    }
    if (message.kind === 'confirmed') console.log(`${message.requestId}: won`)
  }
}
