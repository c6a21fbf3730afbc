import type { Trade } from '../../src/domain/request.ts'
import { type Check, check, createScores, type Scores } from '../../test/invariants/checks.ts'
import { createFeedJudge, type FeedEvent } from '../../test/invariants/judge-feed.ts'
import { judgeRequest } from '../../test/invariants/judge-request.ts'
import type { Audience, Seen } from '../../test/invariants/seen.ts'

/** Something that was seen, before the observer noted when. */
export type Sight = Seen extends infer Event ? (Event extends Seen ? Omit<Event, 'at'> : never) : never

/** Sees what makers and takers send and are sent, and judges each request once all news of it is there. */
export type Observer = {
  /** A maker's stream is live from a position on. */
  follow: (maker: string, position: number) => void
  streamed: (maker: string, event: FeedEvent) => void
  /** A taker was told its request's id, and that so many makers are connected. */
  opened: (requestId: string, opening: { trade: Trade; makersConnected: number }) => void
  saw: (requestId: string, sight: Sight) => void
  /** What was checked elsewhere. */
  note: (checks: Iterable<Check>) => void
  /** What a maker or a taker met that should not have happened. */
  failed: (what: string, error: unknown) => void
  /** Judges the requests that ended before then, and forgets them. */
  settle: (endedBefore: number) => void
  report: () => Report
}

/** What an observer has found. `broken`: calls that failed and connections that were lost; `judged`: requests. */
export type Report = ReturnType<Scores['report']> & { judged: number; broken: number }

type Life = { trade: Trade | null; seen: Seen[]; endedAt: number | null }

/** What broke that is told in full. */
const EXAMPLES = 10

/** The taker's own stream beside those of the makers. */
export const TAKER_STREAM = 'the taker'

/** An observer of makers that are all connected throughout; `now` in Unix milliseconds. */
export function createObserver({ makers, now }: { makers: readonly string[]; now: () => number }): Observer {
  const lives = new Map<string, Life>()
  const scores = createScores()
  const feed = createFeedJudge()
  const audience: Audience = {
    sockets: new Map(makers.map((makerId) => [makerId, { makerId }])),
    streams: new Set([...makers, TAKER_STREAM]),
  }
  const failures: string[] = []
  let broken = 0
  let judged = 0

  function lifeOf(requestId: string): Life {
    const known = lives.get(requestId)
    if (known !== undefined) return known
    const life: Life = { trade: null, seen: [], endedAt: null }
    lives.set(requestId, life)
    return life
  }

  function saw(requestId: string, sight: Sight): void {
    // News of a request that was judged begins a life anew, which is found to be incomplete.
    const life = lifeOf(requestId)
    life.seen.push({ at: now(), ...sight })
    if (sight.kind === 'ended') life.endedAt ??= now()
  }

  return {
    follow: (maker, position) => feed.follow(maker, position),
    streamed: (maker, event) => {
      scores.note([feed.hear(maker, event)])
      if (event.event === 'quote_request_expired') saw(event.requestId, { kind: 'ended', stream: maker })
    },
    opened: (requestId, { trade, makersConnected }) => {
      lifeOf(requestId).trade = trade
      const told = () => `${makersConnected} of ${makers.length} makers were connected`
      scores.note([check('V9', makersConnected === makers.length, told)])
    },
    saw,
    note: scores.note,
    failed: (what, error) => {
      broken += 1
      if (failures.length < EXAMPLES)
        failures.push(`${what}: ${error instanceof Error ? error.message : String(error)}`)
    },
    settle: (endedBefore) => {
      for (const [requestId, { trade, seen, endedAt }] of lives) {
        if (endedAt === null || endedAt >= endedBefore || trade === null) continue
        scores.note(judgeRequest({ requestId, trade, seen }, audience))
        lives.delete(requestId)
        judged += 1
      }
    },
    report: () => {
      const { examples, ...report } = scores.report()
      return { ...report, examples: [...examples, ...failures], judged, broken }
    },
  }
}
