import type { RequestTerms } from '../../../src/protocol/domain/request.ts'
import type { StrikeBps } from '../../../src/protocol/domain/units.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import type { RelaySettings } from '../../../src/relay/core/ports/ports.ts'
import { CALL_BUY, PUT_SELL, RELAY_SETTINGS, START_MS } from '../../support/test-relay.ts'
import type { Asked } from '../plan/plan.ts'

export { START_MS }

const PACKAGE: RequestTerms = {
  ...CALL_BUY,
  option: {
    legs: [
      { optionType: 'call', strikeBps: 4_500 as StrikeBps, quantity: 2 },
      { optionType: 'put', strikeBps: 4_500 as StrikeBps, quantity: 1 },
    ],
    expiryMs: CALL_BUY.option.expiryMs,
  },
}

/** A series that expires while the venue is busy. */
const SHORT_MS = 240_000

/** What takers ask for. */
export const TERMS: Readonly<Record<Asked, RequestTerms>> = {
  call: CALL_BUY,
  put: PUT_SELL,
  package: PACKAGE,
  'both sides': { ...CALL_BUY, trade: { side: 'both', size: contracts(100n) } },
  'short call': { ...CALL_BUY, option: { ...CALL_BUY.option, expiryMs: START_MS + SHORT_MS } },
}

/** When the series that wait for a resolution have expired, Unix milliseconds. */
export const EXPIRED_MS = START_MS - 60_000

/** Series of one market that have expired and are not settled. */
export const EXPIRED: readonly RequestTerms[] = [CALL_BUY, PUT_SELL, PACKAGE].map((terms) => ({
  ...terms,
  option: { ...terms.option, expiryMs: EXPIRED_MS },
}))

/** What the wallet of two makers has: enough for a few orders. */
export const SHARED_FUNDS = { balance: usd6(600_000_000n), allowance: usd6(600_000_000n) }
export const NO_FUNDS = { balance: usd6(0n), allowance: usd6(0n) }

/** Everything is quick, so that an hour has much of everything. */
export const SETTINGS: RelaySettings = {
  ...RELAY_SETTINGS,
  openMode: true,
  quoteRequestTtlMs: 45_000,
  makerConfirmationMs: 4_000,
  unprovenConfirmationMs: 2_000,
  orderValidityMs: 60_000,
  breaker: {
    ...RELAY_SETTINGS.breaker,
    suspensionMs: 15_000,
    maxSuspensionMs: 60_000,
    minOutcomes: 3,
    below: 80,
    cleanPerStrike: 3,
    incidentMs: 2_000,
  },
  // Each look reads all that was ever filled.
  orderWatchMs: 4_000,
  takerRatingMs: 3_600_000,
  tapeDelayMs: 60_000,
  feedback: 'rank',
}
