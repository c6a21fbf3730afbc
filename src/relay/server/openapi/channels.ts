import { AUDIT_ENTRIES } from '@rfqctl/protocol/wire/audit'
import { MAKER_COMMANDS } from '@rfqctl/protocol/wire/maker-commands'
import { MAKER_MESSAGES } from '@rfqctl/protocol/wire/maker-messages'
import { MAKER_STREAM_EVENTS } from '@rfqctl/protocol/wire/maker-stream'
import { OPERATOR_STREAM_EVENTS } from '@rfqctl/protocol/wire/operator-stream'
import type { JsonSchema } from '@rfqctl/protocol/wire/reader'
import { OPENING_STREAM_EVENTS, TAKER_STREAM_EVENTS } from '@rfqctl/protocol/wire/taker-stream'

type MessageDocs = { schema: JsonSchema; when: string }

export type Channel = {
  name: string
  title: string
  path: string
  kind: 'sse' | 'websocket'
  sent: Readonly<Record<string, MessageDocs>>
  received: Readonly<Record<string, MessageDocs>>
  positioned: readonly string[]
}

/** The types require a sentence for each schema. */
function describeMessages<Name extends string>(
  schemas: Readonly<Record<Name, JsonSchema>>,
  when: Readonly<Record<Name, string>>,
): Record<Name, MessageDocs> {
  const names = Object.keys(schemas) as Name[]
  return Object.fromEntries(names.map((name) => [name, { schema: schemas[name], when: when[name] }])) as Record<
    Name,
    MessageDocs
  >
}

const TAKER_EVENTS = {
  best_quote: 'On connect, and whenever the best quote or the number of quotes changes.',
  closed: 'The request ended: committed, expired or cancelled. The stream ends.',
}

export const CHANNELS: readonly Channel[] = [
  {
    name: 'makerStream',
    title: 'Quote requests for makers',
    path: '/v1/mm/quote-requests/stream',
    kind: 'sse',
    sent: describeMessages(MAKER_STREAM_EVENTS, {
      connected: 'Once on connect.',
      snapshot_begin: 'Start of the initial snapshot of open requests.',
      quote_request: 'A new, replayed or snapshot request.',
      snapshot_complete: 'End of the snapshot; live events follow.',
      quote_request_expired: 'A request closed: committed, expired or cancelled.',
    }),
    received: {},
    positioned: ['quote_request', 'snapshot_complete', 'quote_request_expired'],
  },
  {
    name: 'takerStream',
    title: 'The best quote for a taker',
    path: '/quote-requests/{id}/stream',
    kind: 'sse',
    sent: describeMessages(TAKER_STREAM_EVENTS, TAKER_EVENTS),
    received: {},
    positioned: [],
  },
  {
    name: 'openingStream',
    title: 'The same on the call that opens the request',
    path: '/quote-requests',
    kind: 'sse',
    sent: describeMessages(OPENING_STREAM_EVENTS, { opened: 'First: what opening answers.', ...TAKER_EVENTS }),
    received: {},
    positioned: [],
  },
  {
    name: 'operatorStream',
    title: 'Everything that happens, for operators',
    path: '/ops/v1/events',
    kind: 'sse',
    sent: describeMessages(OPERATOR_STREAM_EVENTS, {
      connected: 'Once on connect.',
      snapshot_begin: 'Start of a snapshot, which replaces everything sent before.',
      snapshot_complete: 'End of the snapshot; live events follow.',
      request: 'An open request in a snapshot, with its current status.',
      maker: 'The standing of a maker, whenever it changes.',
      series: 'The progress of a series to settlement, whenever it changes.',
      health: 'The health of the relay, every few seconds.',
      authority: 'Who holds the roles of the core, and what they did lately; whenever it changes.',
      opened: 'A taker opened a request.',
      quoted: 'A maker quoted, or quoted again.',
      quote_sealed: 'A maker signed the order of its quote beforehand: the quote is firm.',
      quote_refused: 'A quote was refused.',
      quote_withdrawn: 'A maker withdrew its quote.',
      quote_expired: 'A quote expired.',
      quote_dropped: 'A quote left the book: the relay had no room for more.',
      quote_absent: 'A commit found that a quote had left the book.',
      commit_started: 'A taker committed.',
      commit_refused: 'A commit ended without a trade.',
      reopened: 'The relay started again, and had lost the live quotes of an open request.',
      ranked: 'A commit looked at the quotes, in the order in which it takes them.',
      passed_over: 'A commit passed a quote over.',
      asked: 'A maker was asked to sign an order.',
      signature_refused: 'A signature was not one of the maker of the order.',
      declined: 'A maker declined to sign.',
      missed: 'A maker did not sign in time.',
      confirmed: 'A maker signed.',
      order_filled: 'A taker filled the order.',
      order_cancelled: 'The maker cancelled the nonce of the order.',
      order_expired: 'The order was not filled in time.',
      order_defunded: 'The maker took away what its open order needs.',
      closed: 'A request ended.',
    }),
    received: {},
    positioned: ['snapshot_complete', ...Object.keys(AUDIT_ENTRIES)],
  },
  {
    name: 'makerSocket',
    title: 'Messages and calls of makers',
    path: '/maker/v1/ws',
    kind: 'websocket',
    sent: describeMessages(MAKER_MESSAGES, {
      connected: 'After authentication.',
      'quote:accepted': 'A taker committed to this quote: sign the order and confirm it before the deadline.',
      'quote:confirmed': 'The signature was verified; of a firm quote, with the `order` that was taken.',
      'quote:rejected': 'Another quote won, or the request closed without this one winning.',
      'protection:tripped': "The maker's protections have tripped: its quotes are withdrawn. Again on connect.",
      'order:defunded':
        'The wallet of this maker can no longer pay an open order, and no fill is why; after `subscribe` to `orders` only.',
      'order:filled': 'A signed order of this maker was filled; after `subscribe` to `orders` only.',
      'order:cancelled': 'The nonce of a signed order of this maker was cancelled; after `subscribe` to `orders` only.',
      'order:expired': 'A signed order of this maker was not filled in time; after `subscribe` to `orders` only.',
      'quote:missed': 'An order was not signed in time; after `subscribe` to `standing` only.',
      'maker:suspended':
        "The maker's quotes are withdrawn and refused; after `subscribe` to `standing` only. Again on connect.",
      'maker:reinstated': 'The suspension is over; after `subscribe` to `standing` only.',
      requests: 'An event of the maker stream, or the end of them; after `subscribe` to `requests` only.',
      pong: 'In answer to an application ping.',
      'quote:ok':
        'A call was carried out; of a quote, with its id and price as the book has it, and its order where that was asked for.',
      'quote:error': 'A call was refused; the fields of a failure over HTTP.',
      'quotes:results': 'The answers to the quotes of one message, in their order.',
      'levels:ok': 'Indicative levels are kept.',
    }),
    received: describeMessages(MAKER_COMMANDS, {
      auth: 'Sent first by a maker whose key is neither in the header nor in the query.',
      ping: 'Asks for a pong.',
      subscribe:
        "Asks for messages about what becomes of signed orders, about the maker's record, or of requests: from the event of an id on.",
      unsubscribe: 'Asks for no more requests.',
      quote: 'Submits or updates a quote, as `POST /v1/mm/quotes`.',
      quotes: 'Submits up to 64 quotes; those on one request in their order.',
      'quote:withdraw': 'Withdraws a quote, after all that was called before.',
      'quote:firm': 'Makes a quote firm by the signature of its order.',
      'quote:confirm': 'Confirms an accepted quote by its signature.',
      'quote:decline': 'Declines an accepted quote.',
      levels: 'Replaces the indicative levels of the maker, as `PUT /v1/mm/levels`.',
    }),
    positioned: [],
  },
]
