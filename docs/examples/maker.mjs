// Quotes every request at a fixed share of what the option can pay, and signs what it wins, until Ctrl-C.
// Beside a running sandbox (rfqctl up):  node docs/examples/maker.mjs [.rfqctl]
import { readFileSync } from 'node:fs'
import { contracts, createMakerClient, formatUsd6, maxPayoff, UNLIMITED, usd6 } from 'rfqctl/client'
import { http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

// A maker of the sandbox that nobody plays. Yours has an API key of "rfqctl keys create" and a wallet of its own.
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
for (const spender of ['core', 'settlement']) await maker.approve({ spender, amount: UNLIMITED, signal })

// Both streams reconnect for ever and resume where they were; they end by the signal, or when the key is refused.
await Promise.all([quote(), sign()]).catch((error) => {
  if (!signal.aborted) throw error
})

async function quote() {
  for await (const event of maker.requests({ signal })) {
    if (event.kind === 'connected') console.log(`quoting as ${event.makerId}`)
    if (event.kind !== 'quote_request') continue
    const { requestId, terms } = event.request
    // This is where a model goes: here a taker buys for half of the max payoff, and sells for a tenth.
    const most = maxPayoff(terms.option.optionType, terms.option.strikeBps)
    const price = usd6(most / (terms.trade.side === 'buy' ? 2n : 10n))
    const size = terms.trade.side === 'buy' ? contracts(500n) : terms.trade.size
    await maker.submitQuote({ request: event.request, price, size, signal }).then(
      () => console.log(`${requestId}: quoted $${formatUsd6(price)} for up to ${size}`),
      // A refusal of one quote is no reason to stop: the request may be over already.
      (error) => console.error(`${requestId}: ${error.code ?? error.message}`),
    )
  }
}

async function sign() {
  for await (const message of maker.messages({ signal })) {
    // The client signs only what it quoted itself, on the contract it was made for; anything else throws.
    if (message.kind === 'accepted') {
      const { acceptance } = message
      await maker.confirm({ acceptance, signal }).catch((error) => console.error(error.message))
    }
    if (message.kind === 'confirmed') console.log(`${message.requestId}: won`)
  }
}
