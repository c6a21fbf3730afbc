import type { Side } from '../../src/protocol/domain/request.ts'
import { toldApart } from '../support/told-apart.ts'
import type { Action, Plan } from './plan/plan.ts'
import { listenTo } from './simulate.ts'
import { createRandom, type Random } from './time/random.ts'
import { MAKERS } from './venue/identities.ts'

/** What two stories of one seed show that differ only in the side of their commit; `toldApart` null: they sound alike. */
type Pair = { toldApart: string | null; isApart: boolean; isNext: boolean; isOrdered: boolean }

const NODES = 3
const OPENS_AT_MS = 2_000
/** A story ends so long after its commit at the latest, milliseconds. */
const LASTS_MS = 12_000
const MINUTE_MS = 60_000

/** Whose calls meet at a node, and so which comes first, may differ by this much, milliseconds. */
const LEEWAY_MS = 150

/** One seed of so many is compared with the story in which nobody commits. */
const UNCOMMITTED_EVERY = 4

/** Tells the story of a seed with both sides, up to the order of its commit, and compares what makers hear. */
export async function comparePair(seed: number): Promise<Pair> {
  const bought = await listenTo(planOf(seed, 'buy'))
  const sold = await listenTo(planOf(seed, 'sell'))
  const others = seed % UNCOMMITTED_EVERY === 0 ? [await listenTo(planOf(seed, null))] : []
  const pairs = [
    [bought, sold],
    ...others.flatMap((none) => [
      [bought, none],
      [sold, none],
    ]),
  ] as const
  const found = pairs.flatMap(([one, other]) => toldApart(one as never, other as never, { leeway: LEEWAY_MS }) ?? [])
  return {
    toldApart: found[0] ?? null,
    isApart: [...bought.askedIn.keys()][0] !== [...sold.askedIn.keys()][0],
    // The first two makers count as one.
    isNext: Math.max(bought.askedIn.size, sold.askedIn.size) > 2,
    isOrdered: bought.orderedIn !== null && sold.orderedIn !== null,
  }
}

/**
 * A request for both sides, with faults of any kind before its commit: until then the two stories are one. Beside the commit come only faults
 * that lose nothing: a call that is lost in one story and not in the other would be chance.
 */
function planOf(seed: number, side: Side | null): Plan {
  const random = createRandom(`pair ${seed}`)
  const afterMs = Math.round(random.between(2_000, 6_000))
  const commitsAt = OPENS_AT_MS + afterMs
  const actions: Action[] = [
    {
      at: OPENS_AT_MS,
      do: 'open',
      id: 0,
      taker: random.below(6),
      asks: 'both sides',
      namesWallet: random.chance(0.5),
      inventory: random.chance(0.25),
      commits: side === null ? null : { afterMs, side },
    },
  ]
  const before = random.below(3)
  for (let i = 0; i < before; i += 1) actions.push(faultBefore(random, commitsAt))
  const beside = random.below(3)
  for (let i = 0; i < beside; i += 1) actions.push(faultBeside(random, commitsAt))
  const minutes = (commitsAt + LASTS_MS) / MINUTE_MS
  return { seed, nodes: NODES, minutes, actions: actions.sort((a, b) => a.at - b.at) }
}

/** It is over a while before the commit. */
function faultBefore(random: Random, commitsAt: number): Action {
  const forMs = Math.round(random.between(50, 900))
  const at = Math.round(random.between(OPENS_AT_MS, commitsAt - forMs - 900))
  const node = random.below(NODES)
  const link = random.pick(['database', 'market'] as const)
  return random.pick<Action>([
    { at, do: 'kill', node, forMs },
    { at, do: 'cut', node, link, isHalfOpen: random.chance(0.4), forMs },
    { at, do: 'lose', node, link, share: 0.2, forMs },
    { at, do: 'drop', maker: random.pick(MAKERS), forMs },
    { at, do: 'freeze', node, forMs },
  ])
}

function faultBeside(random: Random, commitsAt: number): Action {
  const at = Math.round(random.between(commitsAt - 500, commitsAt + 5_000))
  const node = random.below(NODES)
  const link = random.pick(['database', 'market'] as const)
  return random.pick<Action>([
    { at, do: 'slow', node, link, byMs: Math.round(random.between(20, 100)), forMs: 3_000 },
    { at, do: 'freeze', node, forMs: Math.round(random.between(20, 100)) },
  ])
}
