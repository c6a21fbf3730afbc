import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildWhenStale } from '../kit/build.ts'
import { closeAll } from '../kit/keep.ts'
import { signOrder } from '../kit/maker.ts'
import { createRandom, type Random } from '../simulation/time/random.ts'
import { type Heard, numbered, type Told, toldApart } from '../support/told-apart.ts'
import { CLUSTER_HINT, type Cluster, createCluster, HAS_CLUSTER } from './cluster.ts'
import { KEYS, type Node } from './node.ts'
import { createRawMakers, type RawHttp, rawCall } from './raw-makers.ts'

const PAIRS = Number(process.env.RFQCTL_PAIRS ?? 20)
/** Pairs that run at the same time. */
const AT_ONCE = 8
/** One of so many pairs is compared with a request that nobody commits to. */
const UNCOMMITTED_EVERY = 4
const PER_PAIR_MS = 2_000

/** Makers that quote; the watcher only listens. */
const QUOTING = ['ada', 'bob', 'cyd'] as const
const LISTENING = [...QUOTING, 'watcher'] as const
type Name = (typeof LISTENING)[number]

type Prices = { bid: number; ask: number; size: number }

/** All of a request but the side of its commit; nodes by their index. */
type Story = {
  opensOn: number
  commitsOn: number
  quotes: readonly (Prices & { by: (typeof QUOTING)[number]; on: number })[]
  /** Quotes that come while a maker is asked. */
  again: readonly (Prices & { by: (typeof QUOTING)[number]; on: number })[]
  declines: boolean
}

function drawStory(random: Random): Story {
  const on = (): number => random.below(3)
  const prices = (): Prices => {
    const bid = 1 + random.below(30)
    return { bid: bid / 100, ask: (bid + 1 + random.below(9)) / 100, size: random.pick([50, 100, 200]) }
  }
  const quote = () => ({ ...prices(), by: random.pick(QUOTING), on: on() })
  return {
    opensOn: on(),
    commitsOn: on(),
    quotes: QUOTING.map((by) => ({ ...quote(), by })),
    again: random.chance(0.5) ? [quote()] : [],
    declines: random.chance(0.3),
  }
}

/** What comes with its order or after it, by maker and way. */
type TellingWithEnd = Told & { ends: ReadonlyMap<string, readonly string[]> }

describe.skipIf(!HAS_CLUSTER)(`two requests that differ only in the side of their commit${CLUSTER_HINT}`, () => {
  let cluster: Cluster
  let nodes: readonly Node[]
  let option: Record<string, unknown>
  const makers = createRawMakers()

  beforeAll(async () => {
    await buildWhenStale()
    const env = { MAX_UNFILLED_ORDERS: '0', MAX_UNPROVEN_ORDERS: '0', LOG_LEVEL: 'warn' }
    cluster = await createCluster({ confirmationMs: 60_000, env })
    nodes = await cluster.startAll(3)
    for (const [i, name] of LISTENING.entries()) {
      const key = KEYS.find(({ makerId }) => makerId === name) as (typeof KEYS)[number]
      await makers.connect(key, { socket: urlOf(i), stream: urlOf(i + 1) })
    }
    const { market, option: terms } = await (nodes[0] as Node).service.option()
    option = { market, option: terms }
  })
  afterAll(async () => {
    closeAll()
    await cluster?.remove()
  })

  const urlOf = (on: number): string => (nodes[on % 3] as Node).process.ready.url
  const keyOf = (name: Name) => ({ 'x-api-key': (nodes[0] as Node).maker(name).apiKey })

  async function tell(story: Story, side: 'buy' | 'sell' | null): Promise<TellingWithEnd> {
    const heard: Heard[] = []
    const askedIn = new Map<string, number>()
    let step = 0
    const opened = await rawCall('POST', `${urlOf(story.opensOn)}/quote-requests`, {
      body: { ...option, trade: { side: 'both', size: 100 } },
    })
    const { requestId, takerSecret } = JSON.parse(opened.text)
    const path = `/quote-requests/${requestId}`
    const seen = new Map<string, number>()

    const answer = (who: Name, way: string, http: RawHttp): void =>
      void heard.push({ step, who, way, text: plain(`${http.status} ${http.head} ${http.text}`) })
    const quote = async ({ by, on, ...prices }: Story['quotes'][number], way: string): Promise<void> => {
      const { address } = (nodes[0] as Node).maker(by).wallet
      const body = { requestId, quote: { maker: address, side: 'both', ...prices } }
      answer(by, way, await rawCall('POST', `${urlOf(on)}/v1/mm/quotes`, { headers: keyOf(by), body }))
    }
    /** What has come on sockets and streams until now, and what others read. */
    const endStep = async (): Promise<void> => {
      for (const [i, name] of LISTENING.entries()) {
        const polled = await rawCall('GET', `${urlOf(i)}${path}/quotes`, { headers: keyOf(name) })
        answer(name, 'a poll', polled)
        for (const way of ['socket', 'stream'] as const) {
          const key = `${name} ${way}`
          const frames = makers.framesOf(name, way, requestId)
          for (const text of frames.slice(seen.get(key) ?? 0)) heard.push({ step, who: name, way, text: plain(text) })
          seen.set(key, frames.length)
        }
      }
      step += 1
    }

    const isNamed = { requestId, isMeant: () => true }
    await Promise.all(LISTENING.map((name) => makers.until(name, 'stream', isNamed)))
    for (const one of story.quotes) await quote(one, 'its quote')
    await endStep()

    let orderedIn: number | null = null
    const asked = makers.asked(requestId)
    const wallet = `0x${requestId.replaceAll('-', '')}00000000`
    const commit = { headers: { 'x-taker-secret': takerSecret }, body: { wallet, side } }
    const committing = side === null ? null : rawCall('POST', `${urlOf(story.commitsOn)}${path}/commit`, commit)
    // Where something else fails, its answer is of no interest.
    committing?.catch(() => {})
    let last = committing === null ? null : await asked.next()
    if (last !== null) askedIn.set(last.makerId, step)
    for (const one of story.again) await quote(one, 'its quote again')
    await endStep()
    if (last !== null && story.declines) {
      const { makerId, accepted } = last
      const { status, text } = await rawCall(
        'POST',
        `${urlOf(story.opensOn)}/v1/mm/quotes/${accepted.quoteId}/decline`,
        { headers: keyOf(makerId as Name), body: {} },
      )
      expect(status, text).toBe(200)
      last = await asked.next()
      if (!askedIn.has(last.makerId)) askedIn.set(last.makerId, step)
    }
    await endStep()
    if (last !== null && committing !== null) {
      const { makerId, accepted } = last
      const signature = await signOrder((nodes[0] as Node).maker(makerId).wallet, accepted)
      orderedIn = step
      await rawCall('POST', `${urlOf(story.commitsOn + 1)}/v1/mm/quotes/${accepted.quoteId}/confirm`, {
        headers: keyOf(makerId as Name),
        body: { signature },
      })
      const { status, text } = await committing
      expect(JSON.parse(text), text).toMatchObject({ success: true, quote: { side } })
      expect(status).toBe(200)
    } else {
      await rawCall('POST', `${urlOf(0)}${path}/cancel`, { body: { takerSecret } })
    }
    await Promise.all([
      ...LISTENING.map((name) =>
        makers.until(name, 'stream', { requestId, isMeant: (frame) => /expired/.test(frame) }),
      ),
      ...QUOTING.map((name) =>
        makers.until(name, 'socket', { requestId, isMeant: (frame) => /quote:(rejected|confirmed)/.test(frame) }),
      ),
    ])
    const ends = new Map<string, readonly string[]>()
    for (const name of LISTENING) {
      if (askedIn.has(name)) continue
      for (const way of ['socket', 'stream'] as const) {
        const numbers = new Map<string, string>()
        const frames = makers.framesOf(name, way, requestId).slice(seen.get(`${name} ${way}`) ?? 0)
        ends.set(
          `${name}, by ${way},`,
          frames.map((frame) => numbered(plain(frame), numbers)),
        )
      }
    }
    makers.forget(requestId)
    return { heard, askedIn, orderedIn, ends }
  }

  const seen = { pairs: 0, apart: 0, declined: 0, uncommitted: 0 }

  async function comparePair(n: number): Promise<void> {
    const story = drawStory(createRandom(`pair ${n}`))
    const [bought, sold] = await Promise.all([tell(story, 'buy'), tell(story, 'sell')])
    const about = `pair ${n}, ${JSON.stringify(story)}`
    expect(toldApart(bought, sold), about).toBeNull()
    for (const [way, frames] of bought.ends) if (sold.ends.has(way)) expect(sold.ends.get(way), about).toEqual(frames)
    seen.pairs += 1
    if ([...bought.askedIn.keys()][0] !== [...sold.askedIn.keys()][0]) seen.apart += 1
    if (story.declines) seen.declined += 1
    if (n % UNCOMMITTED_EVERY > 0) return
    // Whoever is asked on one side only hears nothing of the commit on the other one.
    const none = await tell(story, null)
    for (const committed of [bought, sold]) {
      expect(toldApart(committed, none), about).toBeNull()
      for (const [way, frames] of committed.ends)
        expect(frames.length, `${way} ${about}`).toBe(none.ends.get(way)?.length)
    }
    seen.uncommitted += 1
  }

  it('look alike in every byte that is sent to who is neither their taker nor asked to sign', {
    timeout: 120_000 + PAIRS * PER_PAIR_MS,
  }, async () => {
    let next = 0
    const faults: unknown[] = []
    const run = async (): Promise<void> => {
      for (let n = next++; n < PAIRS && faults.length === 0; n = next++)
        await comparePair(n).catch((fault: unknown) => faults.push(fault))
    }
    await Promise.all(Array.from({ length: AT_ONCE }, run))
    if (faults.length > 0) throw faults[0]
    expect(makers.strange).toEqual([])
    // Pairs in which it makes no difference would prove nothing.
    for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThanOrEqual(PAIRS / 20)
  })
})

const ISO_LENGTH = 24

/** The bytes without what the time makes of them: of the same length where times and ids have one. */
const plain = (text: string): string =>
  text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'a time'.padEnd(ISO_LENGTH, '.'))
    .replace(/(date)\|[^|]*\|/i, '$1||')
    .replace(/^id: \d+$/m, 'id: a number')
    .replace(/"expires_in_ms":\d+/g, '"expires_in_ms":0')
