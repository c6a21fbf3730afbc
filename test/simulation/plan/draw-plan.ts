import { createRandom, type Random } from '../time/random.ts'
import { MAKERS } from '../venue/identities.ts'
import type { Action, Plan } from './plan.ts'

const MINUTE_MS = 60_000
const SECOND_MS = 1_000

/** Calls of a node after which it may be killed. */
const KILLED_AT = [
  'acceptances.insert',
  'acceptances.insertSigned',
  'acceptances.confirm',
  'acceptances.end',
  'acceptances.withdraw',
  'allotNonce',
  'requests.insert',
  'requests.close',
  'history.write',
  'market lock',
  'market unlock',
  'market close',
  'market open',
  'market makeFirm',
  'market acquire',
  'market conclude',
]

/** A seed has some kinds of faults, so that each is met alone and with others. */
const FAULTS: { name: string; share: number; perMinute: number; draw: (random: Random, nodes: number) => Undated }[] = [
  {
    name: 'kill',
    share: 0.6,
    perMinute: 0.5,
    draw: (r, nodes) => ({ do: 'kill', node: r.below(nodes), forMs: lasting(r) }),
  },
  {
    name: 'kill at',
    share: 0.7,
    perMinute: 1,
    draw: (r, nodes) => ({ do: 'kill at', node: r.below(nodes), call: r.pick(KILLED_AT), forMs: lasting(r) }),
  },
  {
    name: 'freeze',
    share: 0.4,
    perMinute: 0.4,
    draw: (r, nodes) => ({ do: 'freeze', node: r.below(nodes), forMs: lasting(r) }),
  },
  {
    name: 'cut',
    share: 0.4,
    perMinute: 0.4,
    draw: (r, nodes) => ({
      do: 'cut',
      node: r.below(nodes),
      link: linkOf(r),
      isHalfOpen: r.chance(0.4),
      forMs: lasting(r),
    }),
  },
  {
    name: 'slow',
    share: 0.4,
    perMinute: 0.4,
    draw: (r, nodes) => ({
      do: 'slow',
      node: r.below(nodes),
      link: linkOf(r),
      byMs: Math.round(r.between(20, 800)),
      forMs: lasting(r),
    }),
  },
  {
    name: 'lose',
    share: 0.4,
    perMinute: 0.4,
    draw: (r, nodes) => ({
      do: 'lose',
      node: r.below(nodes),
      link: linkOf(r),
      share: r.pick([0.01, 0.05, 0.2]),
      forMs: lasting(r),
    }),
  },
  { name: 'drop', share: 0.7, perMinute: 2, draw: (r) => ({ do: 'drop', maker: r.pick(MAKERS), forMs: lasting(r) }) },
  {
    name: 'drop all',
    share: 0.4,
    perMinute: 0.4,
    draw: (r) => ({ do: 'drop all', forMs: Math.round(r.between(300, 4_000)) }),
  },
  {
    name: 'block',
    share: 0.4,
    perMinute: 0.3,
    draw: (r) => ({ do: 'block', maker: r.pick(MAKERS), forMs: lasting(r) }),
  },
  { name: 'empty wallet', share: 0.3, perMinute: 0.3, draw: (r) => ({ do: 'empty wallet', forMs: lasting(r) }) },
  { name: 'reorganise', share: 0.5, perMinute: 0.5, draw: (r) => ({ do: 'reorganise', depth: 1 + r.below(3) }) },
  { name: 'chain down', share: 0.3, perMinute: 0.2, draw: (r) => ({ do: 'chain down', forMs: lasting(r) }) },
  { name: 'empty market', share: 0.3, perMinute: 0.15, draw: () => ({ do: 'empty market' }) },
  {
    name: 'fail over',
    share: 0.4,
    perMinute: 0.15,
    draw: (r) => ({
      do: 'fail over',
      lostMs: Math.round(r.pick([0, r.between(0, 1_000)])),
      backAfterMs: r.chance(0.7) ? Math.round(r.between(2_000, 40_000)) : null,
      ledBackMs: Math.round(r.between(500, 10_000)),
    }),
  },
  {
    name: 'restore',
    share: 0.25,
    perMinute: 0.1,
    draw: (r) => ({
      do: 'restore',
      backMs: Math.round(r.between(0, 120_000)),
      downMs: Math.round(r.between(100, 5_000)),
    }),
  },
  {
    name: 'set clock',
    share: 0.25,
    perMinute: 0.1,
    draw: (r) => ({ do: 'set clock', byMs: -Math.round(r.pick([r.between(1_500, 60_000), 3_600_000])) }),
  },
]

type Undated = Action extends infer One ? (One extends Action ? Omit<One, 'at'> : never) : never

const linkOf = (random: Random): 'database' | 'market' => random.pick(['database', 'market'])

/** Most faults are short. */
const lasting = (random: Random): number =>
  Math.round(random.chance(0.7) ? random.between(50, 3_000) : random.between(3_000, 30_000))

/** What part of the requests of a busy venue the seeds of a day have: most hours are quiet. */
const PACES_OF_A_DAY = [1, 1, 1, 0.3, 0.3, 0.3, 0.1, 0.1, 0.1, 0.1]

/**
 * Draws a plan: a venue, and faults of the kinds that this seed has. `pace`: whether each seed is busy, or has its hour of a day, with
 * as many faults; `intensity`: how many times as many faults as usual; `needs`: kinds that it has in any case.
 */
export function drawPlan({
  seed,
  nodes = 3,
  minutes = 10,
  pace = 'busy',
  intensity = 1,
  needs = [],
}: {
  seed: number
  nodes?: number
  minutes?: number
  pace?: 'busy' | 'day'
  intensity?: number
  needs?: readonly string[]
}): Plan {
  const random = createRandom(`plan ${seed}`)
  const actions: Action[] = []
  const lastMs = minutes * MINUTE_MS
  const share = pace === 'busy' ? 1 : (PACES_OF_A_DAY[seed % PACES_OF_A_DAY.length] ?? 1)
  const count = Math.round(Math.round(random.between(15, 45)) * share * minutes)
  for (let id = 0; id < count; id += 1) {
    actions.push({
      at: Math.round(random.between(2 * SECOND_MS, lastMs)),
      do: 'open',
      id,
      taker: random.below(6),
      asks: random.pick(['call', 'call', 'call', 'put', 'put', 'package', 'short call', 'both sides'] as const),
      namesWallet: random.chance(0.6),
      inventory: random.chance(0.25),
    })
  }
  for (const maker of MAKERS) if (random.chance(0.6)) actions.push({ at: SECOND_MS, ...protection(random, maker) })
  scatter(random, { perMinute: 0.6, lastMs }, () => protection(random, random.pick(MAKERS)), actions)
  scatter(random, { perMinute: 0.5, lastMs }, () => ({ do: 'reset', maker: random.pick(MAKERS) }), actions)
  scatter(random, { perMinute: 0.3, lastMs }, () => ({ do: 'reinstate', maker: random.pick(MAKERS) }), actions)
  scatter(
    random,
    { perMinute: 2 * intensity, lastMs },
    () => ({ do: 'settle', node: random.below(nodes), cents: 1 + random.below(99) }),
    actions,
  )
  for (const { name, share, perMinute: often, draw } of FAULTS) {
    const own = random.fork(name)
    if (own.chance(share * Math.sqrt(intensity)) || needs.includes(name))
      scatter(own, { perMinute: often * intensity, lastMs }, () => draw(own, nodes), actions)
  }
  return { seed, nodes, minutes, actions: actions.sort((a, b) => a.at - b.at) }
}

function protection(random: Random, maker: (typeof MAKERS)[number]): Extract<Undated, { do: 'protect' }> {
  return {
    do: 'protect',
    maker,
    maxAccepted: random.chance(0.5) ? 1 + random.below(6) : null,
    windowMs: random.pick([10_000, 30_000, 120_000]),
    graceMs: random.chance(0.7) ? random.pick([0, 500, 2_000, 5_000]) : null,
    channels: random.pick(['any', 'all'] as const),
    freezeMs: random.pick([1_000, 10_000]),
  }
}

/** Something as often as asked for, at random times. */
function scatter(
  random: Random,
  { perMinute, lastMs }: { perMinute: number; lastMs: number },
  draw: () => Undated,
  actions: Action[],
): void {
  const expected = (perMinute * lastMs) / MINUTE_MS
  const count = Math.floor(expected) + (random.chance(expected % 1) ? 1 : 0)
  for (let i = 0; i < count; i += 1)
    actions.push({ at: Math.round(random.between(2 * SECOND_MS, lastMs)), ...draw() } as Action)
}
