import type { ProtectionsInput } from '@rfqctl/client/index'

/** How a simulated maker signs what it won: at once, or with one of the faults that a relay must live with. */
export type Signing = 'prompt' | 'late' | 'silent' | 'flaky' | 'declining' | 'bad-signature'

/** How a simulated maker trades. Money is dollars per option, time milliseconds. */
export type MakerStyle = {
  /** What it takes the YES price's probit volatility to be, per square root of a year. */
  volatility: number
  /** How far its own view of the YES price may lie from the market's, either way. */
  opinion: number
  /** Half of its spread around the model's value, at the first quote of a request. */
  halfSpread: number
  /** The most options it quotes at once. */
  size: number
  /** The most options it holds or owes, net, in one series. */
  positionLimit: number
  /** How far a full position moves both of its prices. */
  skew: number
  /** How long it thinks before each quote. */
  latencyMs: { min: number; max: number }
  /** How often it improves its quote of a request. */
  improvements: number
  /** What is left of the half spread after an improvement, 0..1. */
  tightening: number
  /** How often it looks at the price again after its last improvement; null: never. */
  refreshMs: number | null
  /** How long a quote stands; null: until the request closes. */
  quoteLifetimeMs: number | null
  signing: Signing
  /** Whether it signs its orders with its quotes, where a request names its wallet. */
  firm: boolean
  /** Whether its wallet approves the stablecoin, without which the relay refuses its quotes. */
  approves: boolean
  /** What it has the relay hold for it; null: nothing. */
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
  approves: true,
  protections: null,
}

/** A maker that is careful: away for two seconds at most, ten trades a minute, and half a minute of thought. */
const PROTECTIONS: ProtectionsInput = {
  cancelOnDisconnect: { graceMs: 2_000, channels: 'all' },
  windows: [{ ms: 60_000, maxAccepted: 10, maxContracts: null, maxNotional: null, maxCollateral: null }],
  freezeMs: 30_000,
}

/** The styles by name, from fair makers to the faults that a relay must live with. */
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

/** The name of a style. */
export type StyleName = keyof typeof MAKER_STYLES

/** The styles that honest makers are given in turn. */
export const HONEST_STYLES: readonly StyleName[] = ['requoting', 'tight', 'wide', 'skewed']
