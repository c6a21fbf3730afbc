import { ORDER_TYPES } from '@rfqctl/protocol/domain/order'
import { SERIES_ABI } from '@rfqctl/protocol/domain/series'
import { type Html, html, sentence } from '../../html.ts'
import { shellPath } from './curl.ts'
import type { OpenApiDoc } from './documents.ts'

const KEY = '-H "X-API-Key: $KEY"'
const JSON_BODY = "-H 'Content-Type: application/json'"

/** Covers what the schemas do not say: a maker's first quote, call by call, and what it must know before it signs. */
export function guideHtml(openapi: OpenApiDoc): Html {
  return html`<section id="first-quote"><h2>Your first quote in five calls</h2>
<p>${sentence('You need the address of a relay (`$RELAY`), a maker API key (`$KEY`, see `makerKey` below), and a wallet that holds stablecoin and has approved a contract.')}</p>
<ol>${callsOf(openapi).map(({ says, call }) => html`<li>${sentence(says)}<pre>${call}</pre></li>`)}</ol></section>
<section id="makers-must-know"><h2>What a maker must know</h2><ul>${FACTS.map((fact) => html`<li>${sentence(fact)}</li>`)}</ul></section>`
}

/** The bodies are the examples of the routes themselves. */
function callsOf({ paths }: OpenApiDoc): { says: string; call: string }[] {
  const post = (path: string) => {
    const example = paths[path]?.post?.requestBody?.content['application/json']?.example
    return `curl ${KEY} ${JSON_BODY} $RELAY${shellPath(path)} \\\n  -d '${JSON.stringify(example)}'`
  }
  return [
    {
      says: 'Listen to requests: all that are open, then each new one. Leave it running.',
      call: `curl -N ${KEY} $RELAY/v1/mm/quote-requests/stream`,
    },
    {
      says: 'In another terminal, open the WebSocket that brings the orders to sign, here with `wscat`.',
      call: `npx wscat -H "X-API-Key: $KEY" -c $RELAY/maker/v1/ws`,
    },
    {
      says: 'Quote with the `requestId` of an event, the wallet that will sign, and the `side` of the request.',
      call: post('/v1/mm/quotes'),
    },
    {
      says: 'Check your live quotes, and the orders that wait for your signature.',
      call: `curl ${KEY} $RELAY/v1/mm/quotes`,
    },
    {
      says: 'A taker commits, and `quote:accepted` brings an order. Sign it as EIP-712 typed data under the `domain` and `types` that come with it, and confirm.',
      call: post('/v1/mm/quotes/{quoteId}/confirm'),
    },
  ]
}

const FACTS: readonly string[] = [
  'Without an open WebSocket you lose: a winner whose socket is not there has one second (`MAKER_OFFLINE_GRACE_MS`) to connect, then the next maker is asked and yours counts as a miss. Keep it open and connect again at once when it closes; an order that waits for you is sent again.',
  'Sign before `confirmationDeadline`: 10 seconds (`MAKER_CONFIRMATION_MS`). As long as you have confirmed nothing in the last 30 days, and a maker that has waits behind you, it is 2.5 seconds (`UNPROVEN_CONFIRMATION_MS`). After the deadline a signature is refused with 404 `no_pending_acceptance`. Makers that miss in several requests rank behind all others for an hour.',
  'Approve the right contract in stablecoin. When the taker buys, you write the options and your collateral, the most they can pay, is drawn by the core: approve `coreAddress`. When the taker sells, you pay the premium through the settlement contract: approve `settlementAddress`. The relay reads balance and allowance on chain before it shows your quote and again at the commit (422 `maker_insufficient_balance`, `maker_insufficient_allowance`).',
  `Recompute \`seriesId\` yourself: keccak256 of \`abi.encode(${SERIES_ABI.map(({ name, type }) => `${type} ${name}`).join(', ')})\`, as decimal text. \`expiry\` is \`expiryMs\` in whole seconds, rounded down; \`optionType\` is 0 for a call and 1 for a put. A package has its packed legs in place of the strike, and 2 for its type: leg i in bits 32 x i to 32 x i + 31, from the high end quantity (int8), option type (uint8) and strikeBps (uint16).`,
  `An order is \`Order(${ORDER_TYPES.Order.map(({ name, type }) => `${type} ${name}`).join(',')})\`. \`optionAmount\` is whole options, without decimals; \`premiumAmount\` is micro-dollars.`,
  'Check before you sign: the domain is the chain and the settlement contract that you trust, from a source other than this relay; `seriesId` is that of the request; `maker` is your wallet; `taker` is not the zero address, and is the wallet of the request where it named one; `makerSelling` is true when the taker buys; `optionAmount` is at most the size that you quoted; the premium is at least price times amount when you sell, and at most that when you buy; your quote has not ended long ago; `validUntil` is two or three minutes ahead, and not beyond the expiry. A signature is a right to trade until `validUntil`: never log one.',
  '`market.yesPrice` of a request is a hint of what the relay last read, and may be absent. Price from a source of your own.',
]
