import type { Hex } from '@rfqctl/protocol/domain/units'
import { LruMap } from 'toad-cache'
import type { Context } from './context.ts'

/** How long a market whose name could not be had is shown without one before it is asked for again, milliseconds. */
const RETRY_AFTER_MS = 60_000

/** More markets than any relay lists at a time. */
const MARKETS_KEPT = 10_000

type Attempt = { at: number; name: Promise<string | null> }

/**
 * The questions of markets, each asked of the source until it has one. Only who asks first waits for the source: discovery
 * is neither slowed nor failed by one that is down.
 */
export function createMarketNames({
  markets,
  clock,
}: Pick<Context, 'markets' | 'clock'>): (conditionId: Hex) => Promise<string | null> {
  const names = new LruMap<string>(MARKETS_KEPT)
  const attempts = new LruMap<Attempt>(MARKETS_KEPT)

  async function ask(conditionId: Hex): Promise<string | null> {
    const name = await markets.question(conditionId).catch(() => null)
    if (name !== null) names.set(conditionId, name)
    return name
  }

  return async (conditionId) => {
    const name = names.get(conditionId)
    if (name !== undefined) return name
    const former = attempts.get(conditionId)
    if (former !== undefined && clock.now() < former.at + RETRY_AFTER_MS) return former.name
    const attempt = { at: clock.now(), name: ask(conditionId) }
    attempts.set(conditionId, attempt)
    return former === undefined ? attempt.name : null
  }
}
