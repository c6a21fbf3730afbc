import { TypedDataEncoder, Wallet } from 'ethers'
import { ORDER_TYPES, type Order } from '../../conformance/harness/eip712.ts'
import { emptyHistory, type History, type MakerMessage, type StreamEvent } from './history.ts'

/** When the request of the history was opened, Unix milliseconds; an hour in which nothing else happens. */
export const OPENED_AT = Date.UTC(2030, 0, 1)

/** How long its makers have to sign, in milliseconds. */
const SIGN_MS = 4_000

/** The two makers of it, and a wallet that takes. Ada is asked first and does not sign, and Bob does. */
export const ADA = new Wallet(`0x${'11'.repeat(32)}`)
const BOB = new Wallet(`0x${'22'.repeat(32)}`)
const TAKER = new Wallet(`0x${'33'.repeat(32)}`)

const DOMAIN = { name: 'ServiceRFQSettlement', version: '1', chainId: 80_002, verifyingContract: ADA.address }

/** Bob's order: floor(100 / 0.12) = 833 options. */
export const ORDER: Order = {
  maker: BOB.address,
  seriesId: '7',
  optionAmount: '833',
  premiumAmount: '99960000',
  makerSelling: true,
  taker: TAKER.address,
  validUntil: OPENED_AT / 1_000 + 200,
  nonce: 5,
}

const event = (id: number | null, name: string, requestId: string | null): StreamEvent => ({
  event: name,
  id,
  requestId,
  best: null,
})

/** An order's signature. */
export const signedBy = (wallet: Wallet, order: Order): string =>
  wallet.signingKey.sign(TypedDataEncoder.hash(DOMAIN, ORDER_TYPES, order)).serialized

/** A message that asks for a signature. */
export const asked = (order: Order, quoteId: string, deadline: number): MakerMessage => ({
  type: 'quote:accepted',
  requestId: 'one',
  quoteId,
  order,
  domain: DOMAIN,
  deadline,
})

/** A request that two makers quoted, of whom the better one missed its deadline, and that was traded with the other. */
export function honestHistory(): History {
  const at = (s: number) => OPENED_AT + s * 1_000
  const quote = { requestId: 'one', livesMs: null, size: 1_000n }
  return {
    ...emptyHistory(),
    confirmationMs: SIGN_MS,
    opened: [
      {
        requestId: 'one',
        side: 'buy',
        budget: 100_000_000n,
        size: null,
        sentAt: at(0),
        makersConnected: 2,
        makersBetween: [2, 2],
      },
    ],
    quotes: [
      {
        ...quote,
        quoteId: 'of ada',
        makerId: 'ada',
        wallet: ADA.address,
        price: 110_000n,
        sentAt: at(1),
        answeredAt: at(1),
      },
      {
        ...quote,
        quoteId: 'of bob',
        makerId: 'bob',
        wallet: BOB.address,
        price: 120_000n,
        sentAt: at(1),
        answeredAt: at(1),
      },
    ],
    looks: [
      { requestId: 'one', by: 'poll', askedAt: at(5), answeredAt: at(5), best: 'of ada' },
      { requestId: 'one', by: 'stream', askedAt: at(16), answeredAt: at(16), best: 'of bob' },
    ],
    commits: [
      {
        requestId: 'one',
        wallet: TAKER.address,
        sentAt: at(10),
        answeredAt: at(21),
        status: 200,
        executionId: 'traded',
        makerId: 'bob',
        revealed: { order: ORDER, domain: DOMAIN, signature: signedBy(BOB, ORDER) },
      },
    ],
    sockets: [
      {
        makerId: 'ada',
        messages: [
          asked({ ...ORDER, maker: ADA.address, optionAmount: '909', premiumAmount: '99990000' }, 'of ada', at(14)),
          { type: 'quote:rejected', requestId: 'one', quoteId: 'of ada' },
        ],
      },
      {
        makerId: 'bob',
        messages: [asked(ORDER, 'of bob', at(24)), { type: 'quote:confirmed', requestId: 'one', quoteId: 'of bob' }],
      },
    ],
    makerStreams: [
      {
        makerId: 'ada',
        after: null,
        events: [
          event(null, 'connected', null),
          event(null, 'snapshot_begin', null),
          event(3, 'quote_request', 'older'),
          event(6, 'snapshot_complete', null),
          event(7, 'quote_request', 'one'),
          event(8, 'quote_request_expired', 'one'),
        ],
      },
      { makerId: 'bob', after: 7, events: [event(null, 'connected', null), event(8, 'quote_request_expired', 'one')] },
    ],
    takerStreams: [{ requestId: 'one', events: [event(null, 'best_quote', null), event(null, 'closed', 'one')] }],
    outcomes: [
      { makerId: 'ada', endings: [{ requestId: 'one', quoteId: 'of ada', status: 'rejected' }] },
      { makerId: 'bob', endings: [{ requestId: 'one', quoteId: 'of bob', status: 'confirmed' }] },
    ],
    resolutions: [
      { seriesId: '7', resolutionBps: 40 },
      { seriesId: '7', resolutionBps: 40 },
    ],
    promises: [{ what: 'the commit of one', promised: 'traded', kept: 'traded' }],
    secrets: [{ name: 'a key', value: 'canary' }],
    sinks: [{ name: 'the log', text: 'nothing to see' }],
  }
}
