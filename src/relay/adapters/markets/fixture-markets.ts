import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FinalOutcome } from '@rfqctl/protocol/domain/resolution'
import type { VanillaTerms } from '@rfqctl/protocol/domain/series'
import type { Hex, StrikeBps } from '@rfqctl/protocol/domain/units'
import type { PricePath } from '../prices/fixture.ts'
import { checkFixtureMarkets } from './check-fixture-markets.ts'

export type FixtureMarket = {
  question: string
  conditionId: Hex
  yesTokenId: string
  path: PricePath
  /** Null while the market is open. */
  outcome: FinalOutcome | null
  series: readonly FixtureSeries[]
}

/** Every strike with every expiry and type. Expiries are seconds after the chain's start. */
export type FixtureSeries = {
  strikesBps: readonly StrikeBps[]
  expiresInS: readonly number[]
  optionTypes: readonly ('call' | 'put')[]
}

/** The same distance from the package root in `src` and in `dist`. */
const DEFAULT_PATH = fileURLToPath(new URL('../../../../fixtures/markets.json', import.meta.url))

/** Throws an `Error` that names the file and every fault in it. */
export function readFixtureMarkets(path: string = DEFAULT_PATH): readonly FixtureMarket[] {
  const content = parseJson(path)
  const faults = checkFixtureMarkets(content)
  if (faults.length > 0) throw new Error(`${path} is not a file of fixture markets: ${faults.join('; ')}.`)
  return (content as { markets: readonly FixtureMarket[] }).markets
}

function parseJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new Error(`${path} cannot be read as JSON.`, { cause })
  }
}

/**
 * The series of fixture markets to list at `now`, Unix seconds. Expiries lie on a grid of half their length, between
 * half of it and all of it ahead: a sandbox that starts again some minutes later lists the same series, and a running
 * one lists the next ones in time.
 */
export function fixtureSeries(markets: readonly FixtureMarket[], now: number): VanillaTerms[] {
  return markets.flatMap(({ conditionId, yesTokenId, series }) =>
    series.flatMap(({ strikesBps, expiresInS, optionTypes }) =>
      expiresInS.flatMap((seconds) => {
        const expiry = expiryAt(now, seconds)
        return strikesBps.flatMap((strikeBps) =>
          optionTypes.map((optionType) => ({ conditionId, yesTokenId, strikeBps, expiry, optionType })),
        )
      }),
    ),
  )
}

/** The last multiple of half of `seconds` that is at most `seconds` ahead. */
function expiryAt(now: number, seconds: number): number {
  const step = seconds / 2
  return Math.floor((now + seconds) / step) * step
}
