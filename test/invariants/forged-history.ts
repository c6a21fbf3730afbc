import { TypedDataEncoder, Wallet } from 'ethers'
import { ethersOrderTypes } from '../support/oracles/ethers-signing.ts'
import type { History } from './checker.ts'
import type { Coverage } from './invariants.ts'
import type { Moment, Observation, ObservationOf, OrderSeen } from './observation.ts'

/** When the request of the history was opened, Unix milliseconds; an hour in which nothing else happens. */
const OPENED_AT = Date.UTC(2030, 0, 1)

/** A moment so many seconds after that. */
export const at = (s: number): Moment => ({ at: OPENED_AT + s * 1_000, order: s * 1_000 })

/** The two makers of it, and a wallet that takes. Ada is asked first and does not sign, and Bob does. */
export const ADA = new Wallet(`0x${'11'.repeat(32)}`)
const BOB = new Wallet(`0x${'22'.repeat(32)}`)
const TAKER = new Wallet(`0x${'33'.repeat(32)}`)

export const DOMAIN = { name: 'ServiceRFQSettlement', version: '1', chainId: 80_002, verifyingContract: ADA.address }

/** How long its makers have to sign, in milliseconds. */
const SIGN_MS = 4_000

/** Bob's order: floor(100 / 0.12) = 833 options. */
export const ORDER: OrderSeen = {
  maker: BOB.address,
  seriesId: '7',
  optionAmount: '833',
  premiumAmount: '99960000',
  makerSelling: true,
  taker: TAKER.address,
  validUntil: OPENED_AT / 1_000 + 200,
  nonce: 5,
}

/** Ada's: floor(100 / 0.11) = 909 options. */
const ORDER_OF_ADA: OrderSeen = { ...ORDER, maker: ADA.address, optionAmount: '909', premiumAmount: '99990000' }

/** An order's signature. */
export const signedBy = (wallet: Wallet, order: OrderSeen): string =>
  wallet.signingKey.sign(TypedDataEncoder.hash(DOMAIN, ethersOrderTypes, order)).serialized

/** A maker is asked to sign until a second of the history. */
export const orderSent = (makerId: string, order: OrderSeen, deadlineS: number): ObservationOf<'order_sent'> => {
  const deadline = at(deadlineS)
  const asked = { at: deadline.at - SIGN_MS, order: deadline.order - SIGN_MS }
  return {
    kind: 'order_sent',
    requestId: 'one',
    makerId,
    quoteId: `of ${makerId}`,
    order,
    deadline: deadline.at,
    asked,
  }
}

/** An event of a maker's stream. */
export const makerEvent = (
  stream: string,
  id: number | null,
  event: string,
  requestId: string | null = null,
): ObservationOf<'maker_event'> => ({ kind: 'maker_event', stream, event, id, requestId, moment: at(21) })

/** A maker is told how its quote ended. */
export const ended = (
  makerId: string,
  outcome: 'confirmed' | 'rejected',
  socket = makerId,
): ObservationOf<'quote_ended'> => ({
  kind: 'quote_ended',
  requestId: 'one',
  makerId,
  socket,
  quoteId: `of ${makerId}`,
  outcome,
})

/** A maker's signature that was answered by a status. */
export const confirm = (makerId: string, status: number, s = 12): ObservationOf<'confirm'> => ({
  kind: 'confirm',
  requestId: 'one',
  makerId,
  quoteId: `of ${makerId}`,
  signature: `0x11${makerId}`,
  sent: at(s),
  status,
})

const quote = (makerId: string, wallet: string, price: bigint): ObservationOf<'quote'> => ({
  kind: 'quote',
  requestId: 'one',
  makerId,
  wallet,
  price,
  size: 1_000n,
  livesMs: null,
  sent: at(1),
  answered: at(1.001),
  countsFrom: null,
  quoteId: `of ${makerId}`,
  isRefused: false,
})

const taker = (event: string): Observation => ({
  kind: 'taker_event',
  stream: 'the taker',
  event,
  requestId: 'one',
  moment: at(21),
})

/** Bob may be asked once in a minute, and be away for two seconds. */
const BOB_PROTECTED: ObservationOf<'protections_put'> = {
  kind: 'protections_put',
  makerId: 'bob',
  windows: [{ ms: 60_000, maxAccepted: 1, maxContracts: null, maxNotional: null }],
  graceMs: 2_000,
  moment: at(0.1),
}

/** A maker's socket is told how Bob's order ended. */
export const orderEnded = (
  state: string,
  { socket = 'bob', s = 60, by = 'a fill' }: { socket?: string; s?: number; by?: string | null } = {},
): ObservationOf<'order_ended'> => ({
  kind: 'order_ended',
  requestId: 'one',
  makerId: 'bob',
  socket,
  quoteId: 'of bob',
  state,
  transactionHash: by,
  moment: at(s),
})

/** What a maker's record says of the request. */
export const recordOf = (makerId: string, ...outcomes: string[]): ObservationOf<'record_read'> => ({
  kind: 'record_read',
  makerId,
  outcomes: outcomes.map((outcome) => ({ requestId: 'one', quoteId: `of ${makerId}`, outcome })),
})

const FILLED = { state: 'filled', transactionHash: 'a fill' }

/** Ada's of another request, which it signs with its quote. */
export const FIRM_ORDER: OrderSeen = { ...ORDER_OF_ADA, nonce: 6, validUntil: OPENED_AT / 1_000 + 300 }

const madeFirm = { requestId: 'two', makerId: 'ada', quoteId: 'of ada in two', order: FIRM_ORDER }

/** A request that was traded by a firm quote. */
const FIRM_TRADE: readonly Observation[] = [
  { kind: 'request_opened', requestId: 'two', side: 'buy', budget: 100_000_000n, size: null },
  {
    ...quote('ada', ADA.address, 110_000n),
    requestId: 'two',
    quoteId: 'of ada in two',
    sent: at(61),
    answered: at(61.001),
    livesMs: 10_000,
  },
  {
    kind: 'quote_sealed',
    ...madeFirm,
    signature: signedBy(ADA, FIRM_ORDER),
    sent: at(62),
    answered: at(62.001),
    status: 200,
  },
  { kind: 'order_taken', ...madeFirm, signature: signedBy(ADA, FIRM_ORDER), asked: at(65), counted: at(65.001) },
  {
    kind: 'commit',
    requestId: 'two',
    wallet: TAKER.address,
    limitPrice: null,
    sent: at(64.9),
    answered: at(65.002),
    status: 200,
    executionId: 'traded two',
    quoteId: 'of ada in two',
    isFirm: true,
    revealed: { order: FIRM_ORDER, domain: DOMAIN, signature: signedBy(ADA, FIRM_ORDER), at: at(65.002).at },
  },
]

/** Nothing is hidden from it, but it watches from outside. */
const WIRE: Coverage = { lagMs: 1_000, unseen: {} }

/** A request that two makers quoted, of whom the better one missed its deadline, and that was traded with the other. */
export function honestHistory(): History & { observations: Observation[] } {
  return {
    coverage: WIRE,
    observations: [
      { kind: 'secret', name: 'a key', value: 'canary' },
      { kind: 'socket_opened', socket: 'ada', makerId: 'ada', isLasting: true },
      { kind: 'socket_opened', socket: 'bob', makerId: 'bob', isLasting: true },
      { kind: 'maker_stream_opened', stream: 'ada', after: null, isLasting: true },
      { kind: 'maker_stream_opened', stream: 'bob', after: 7, isLasting: true },
      BOB_PROTECTED,
      { kind: 'maker_gone', makerId: 'bob', moment: at(0.2) },
      { kind: 'maker_back', makerId: 'bob', moment: at(0.4) },
      { ...BOB_PROTECTED, makerId: 'cyd', windows: [], moment: at(-11) },
      { kind: 'maker_gone', makerId: 'cyd', moment: at(-10) },
      makerEvent('ada', null, 'connected'),
      makerEvent('ada', null, 'snapshot_begin'),
      makerEvent('ada', 3, 'quote_request', 'older'),
      makerEvent('ada', 6, 'snapshot_complete'),
      { kind: 'request_opened', requestId: 'one', side: 'buy', budget: 100_000_000n, size: null },
      { kind: 'makers_counted', requestId: 'one', counted: 2, least: 2, most: 2 },
      { kind: 'taker_stream_opened', stream: 'the taker', requestId: 'one' },
      makerEvent('ada', 7, 'quote_request', 'one'),
      quote('ada', ADA.address, 110_000n),
      quote('bob', BOB.address, 120_000n),
      taker('best_quote'),
      {
        kind: 'quote_shown',
        requestId: 'one',
        by: 'poll',
        asked: at(5),
        answered: at(5.001),
        quoteId: 'of ada',
        quoteCount: 2,
      },
      {
        kind: 'commit',
        requestId: 'one',
        wallet: TAKER.address,
        limitPrice: 130_000n,
        sent: at(10),
        answered: at(21),
        status: 200,
        executionId: 'traded',
        quoteId: 'of bob',
        revealed: { order: ORDER, domain: DOMAIN, signature: signedBy(BOB, ORDER), at: at(21).at },
      },
      orderSent('ada', ORDER_OF_ADA, 14),
      {
        kind: 'quote_shown',
        requestId: 'one',
        by: 'stream',
        asked: at(16),
        answered: at(16.001),
        quoteId: 'of bob',
        quoteCount: null,
      },
      orderSent('bob', ORDER, 24),
      confirm('bob', 200, 20.5),
      ended('ada', 'rejected'),
      ended('bob', 'confirmed'),
      makerEvent('ada', 8, 'quote_request_expired', 'one'),
      makerEvent('bob', 8, 'quote_request_expired', 'one'),
      taker('closed'),
      { kind: 'polled', requestId: 'one', asked: at(21.5), answered: at(21.501), status: 'committed' },
      {
        kind: 'cancel',
        requestId: 'one',
        sent: at(21.6),
        answered: at(21.601),
        status: 409,
        code: 'request_closed',
      },
      { kind: 'promise_reread', what: 'the commit of one', promised: 'traded', kept: 'traded' },
      { kind: 'series_resolved', seriesId: '7', resolutionBps: 40 },
      { kind: 'series_resolved', seriesId: '7', resolutionBps: 40 },
      { kind: 'history_read', makerId: 'ada', endings: [{ requestId: 'one', quoteId: 'of ada', status: 'rejected' }] },
      orderEnded('filled'),
      {
        kind: 'history_read',
        makerId: 'bob',
        endings: [{ requestId: 'one', quoteId: 'of bob', status: 'confirmed', orderStatus: FILLED }],
        begunAt: at(90).at,
      },
      { kind: 'quote_withdrawn', requestId: 'two', quoteId: 'of cyd', sent: at(0.5), goneMaker: 'cyd' },
      ...FIRM_TRADE,
      recordOf('ada', 'missed'),
      recordOf('bob', 'confirmed'),
      { kind: 'sink', name: 'the log', text: 'nothing to see' },
    ],
  }
}
