import type { ProtectionsInput } from '@rfqctl/client/index'

/** Promptly, or with one of the faults that a relay must survive. */
export type Signing = 'prompt' | 'late' | 'silent' | 'flaky' | 'declining' | 'bad-signature'

/** Money is dollars per option, time milliseconds. */
export type MakerStyle = {
  /** Assumed probit volatility of the YES price, per square root of a year. */
  volatility: number
  /** Largest distance of its view of the YES price from the market's, either way. */
  opinion: number
  /** Half the spread around the model's value, at the first quote of a request. */
  halfSpread: number
  size: number
  /** Most options held or owed, net, in one series. */
  positionLimit: number
  /** Shift of both prices at a full position. */
  skew: number
  /** Thinking time before each quote. */
  latencyMs: { min: number; max: number }
  improvements: number
  /** Share of the half spread left after an improvement, 0..1. */
  tightening: number
  /** Time between looks at the price after the last improvement; null: none. */
  refreshMs: number | null
  /** Null: until the request closes. */
  quoteLifetimeMs: number | null
  signing: Signing
  /** Whether it signs its orders with its quotes if the request names the taker's wallet. */
  firm: boolean
  /** Whether it shows what it would quote before anyone asks. */
  showsLevels: boolean
  /** Whether its wallet approves the stablecoin; without that the relay refuses its quotes. */
  approves: boolean
  protections: ProtectionsInput | null
}

const COMMON: MakerStyle = {
  volatility: 1.5,
  opinion: 0.004,
  halfSpread: 0.012,
  size: 25_000,
  positionLimit: 100_000,
  skew: 0.03,
  latencyMs: { min: 60, max: 350 },
  improvements: 1,
  tightening: 0.6,
  refreshMs: 4_000,
  quoteLifetimeMs: null,
  signing: 'prompt',
  firm: false,
  showsLevels: true,
  approves: true,
  protections: null,
}

/** A careful maker: away for two seconds at most, ten trades a minute, and a freeze of half a minute. */
const PROTECTIONS: ProtectionsInput = {
  cancelOnDisconnect: { graceMs: 2_000, channels: 'all' },
  windows: [{ ms: 60_000, maxAccepted: 10, maxContracts: null, maxNotional: null, maxCollateral: null }],
  freezeMs: 30_000,
}

export const MAKER_STYLES = {
  tight: { ...COMMON, halfSpread: 0.006, size: 12_000, positionLimit: 60_000 },
  wide: { ...COMMON, halfSpread: 0.03, size: 60_000, positionLimit: 250_000, latencyMs: { min: 20, max: 90 } },
  skewed: { ...COMMON, skew: 0.12, positionLimit: 40_000 },
  requoting: { ...COMMON, halfSpread: 0.02, improvements: 2, tightening: 0.55 },
  protected: { ...COMMON, protections: PROTECTIONS },
  flaky: { ...COMMON, signing: 'flaky' },
  silent: { ...COMMON, halfSpread: 0.004, signing: 'silent' },
  late: { ...COMMON, halfSpread: 0.004, signing: 'late' },
  declining: { ...COMMON, halfSpread: 0.004, signing: 'declining' },
  'bad-signature': { ...COMMON, halfSpread: 0.004, signing: 'bad-signature' },
  insolvent: { ...COMMON, approves: false },
} as const satisfies Record<string, MakerStyle>

export type StyleName = keyof typeof MAKER_STYLES

/** Given to honest makers in turn. */
export const HONEST_STYLES: readonly StyleName[] = ['requoting', 'tight', 'wide', 'skewed']
