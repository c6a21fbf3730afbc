import type { Hex } from '@rfqctl/protocol/domain/units'
import { LruMap } from 'toad-cache'
import type { Context } from './context.ts'

/** Milliseconds after a failed read. */
const RETRY_AFTER_MS = 60_000

/** More markets than any relay lists at a time. */
const MARKETS_KEPT = 10_000

type Attempt = { at: number; name: Promise<string | null> }

/** Only the first caller waits: a source that is down neither slows nor fails discovery. */
export function createMarketNames({ markets, clock }: Pick<Context, 'markets' | 'clock'>) {
  const names = new LruMap<string>(MARKETS_KEPT)
  const attempts = new LruMap<Attempt>(MARKETS_KEPT)

  async function ask(conditionId: Hex): Promise<string | null> {
    const name = await markets.question(conditionId).catch(() => null)
    if (name !== null) names.set(conditionId, name)
    return name
  }

  return async (conditionId: Hex): Promise<string | null> => {
    const name = names.get(conditionId)
    if (name !== undefined) return name
    const former = attempts.get(conditionId)
    if (former !== undefined && clock.now() < former.at + RETRY_AFTER_MS) return former.name
    const attempt = { at: clock.now(), name: ask(conditionId) }
    attempts.set(conditionId, attempt)
    return former === undefined ? attempt.name : null
  }
}
