import { isPackage } from '../../../../src/protocol/domain/option.ts'
import type { SeriesTerms, VanillaTerms } from '../../../../src/protocol/domain/series.ts'
import type { Address, StrikeBps } from '../../../../src/protocol/domain/units.ts'

/** The terms of a series, one for each strike. */
export const termsAt = (strikeBps: number): VanillaTerms => ({
  conditionId: `0x${'11'.repeat(32)}`,
  yesTokenId: '123456789',
  strikeBps: strikeBps as StrikeBps,
  expiry: 1_800_600_000,
  optionType: strikeBps % 2 === 0 ? 'call' : 'put',
})

export const WALLET: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

/** The strikes of the single calls and puts among some series. */
export const strikesOf = (series: readonly SeriesTerms[]): number[] =>
  series.flatMap((terms) => (isPackage(terms) ? [] : [terms.strikeBps]))
