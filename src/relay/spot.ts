import type { Context } from './context.ts'

/** The newest price of a YES token in dollars; null when none is known. */
export type ReadSpot = (yesTokenId: string) => Promise<number | null>

/** How old a price may be to count as that of now, seconds. */
const LOOK_BACK_S = 3_600

/** How long an answer is kept, milliseconds: sources have a price a minute. */
const KEPT_MS = 15_000

/** From this many tokens on, what has become too old is let go. */
const SWEEP_AT = 1_000

type Answer = { at: number; price: Promise<number | null> }

/** Reads the prices of now, each token's at most every 15 s however many ask. */
export function createReadSpot({ chain, prices, store, clock }: Context): ReadSpot {
  const answers = new Map<string, Answer>()

  async function read(yesTokenId: string): Promise<number | null> {
    const now = await chain.time('cached')
    const [recorded, given] = await Promise.all([
      store.prices.between(yesTokenId, now - LOOK_BACK_S, now),
      prices.history(yesTokenId, now - LOOK_BACK_S, now).catch(() => []),
    ])
    const newest = [...recorded, ...given].reduce((latest, point) => (point.t >= latest.t ? point : latest), {
      t: Number.NEGATIVE_INFINITY,
      p: Number.NaN,
    })
    return Number.isNaN(newest.p) ? null : newest.p
  }

  return (yesTokenId) => {
    const isFresh = ({ at }: Answer) => clock.now() < at + KEPT_MS
    const former = answers.get(yesTokenId)
    if (former !== undefined && isFresh(former)) return former.price
    if (answers.size >= SWEEP_AT) for (const [key, answer] of answers) if (!isFresh(answer)) answers.delete(key)
    const answer = { at: clock.now(), price: read(yesTokenId) }
    answers.set(yesTokenId, answer)
    return answer.price
  }
}
