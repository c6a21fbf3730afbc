import type { MakerSocketMessage, Usd6 } from '../../client/index.ts'

/** An event of a maker's stream, as far as it is looked at. */
export type StreamedEvent = { kind: 'quote_request' | 'quote_request_expired'; id: number; requestId: string }

/** Watches makers and takers over the wire and notes what must never be. Makers are numbered from 0. */
export type Observer = {
  streamed: (maker: number, event: StreamedEvent) => void
  messaged: (maker: number, message: MakerSocketMessage) => void
  /** A taker was told that so many makers are connected. */
  opened: (requestId: string, makersConnected: number) => void
  /** The relay took a quote. */
  quoted: (maker: number, requestId: string, price: Usd6) => void
  /** A maker sent its order back unsigned. */
  declined: (maker: number, requestId: string) => void
  /** A taker traded at this price. */
  committed: (requestId: string, price: Usd6) => void
  /** What a maker or a taker met that should not have happened. */
  failed: (what: string, error: unknown) => void
  /** Looks at the requests that ended long enough ago for all news of them to be there, and forgets them; all at the end. */
  settle: (endedBefore: number) => void
  report: () => { faults: number; examples: readonly string[]; looked: number }
}

type Life = {
  /** Prices of those who quoted, by maker. */
  quotes: Map<number, Usd6>
  declined: Set<number>
  asked: number | null
  expired: number
  /** How many last messages each maker got. */
  ends: Map<number, number>
  confirmed: number
  endedAt: number | null
}

/** Faults that are told in full. */
const EXAMPLES = 10

/**
 * An observer of so many makers, with the invariants of `reliability.md` as far as the wire shows them: V1, V3, V4, V6, V7
 * and V9. V2 is looked at by the makers' own client, which signs nothing else. `now` in Unix milliseconds.
 */
export function createObserver({ makers, now }: { makers: number; now: () => number }): Observer {
  const lives = new Map<string, Life>()
  /** The events in the order in which the first maker to hear of each heard of them, and how far each maker is. */
  const heard: string[] = []
  const positions = new Array<number>(makers).fill(0)
  let lastId = 0
  const examples: string[] = []
  let faults = 0
  let looked = 0

  function fault(text: string): void {
    faults += 1
    if (examples.length < EXAMPLES) examples.push(text)
  }

  function lifeOf(requestId: string): Life {
    const known = lives.get(requestId)
    if (known !== undefined) return known
    const life: Life = {
      quotes: new Map(),
      declined: new Set(),
      asked: null,
      expired: 0,
      ends: new Map(),
      confirmed: 0,
      endedAt: null,
    }
    lives.set(requestId, life)
    return life
  }

  /** Every stream tells the same events in the same order under rising ids, none twice and none left out. */
  function hear(maker: number, { kind, id, requestId }: StreamedEvent): void {
    const position = positions[maker] as number
    const event = `${id} ${kind} ${requestId}`
    positions[maker] = position + 1
    if (position < heard.length) {
      if (heard[position] !== event) fault(`V6: maker ${maker} heard "${event}" in place of "${heard[position]}"`)
      return
    }
    heard.push(event)
    if (id <= lastId) fault(`V6: the id ${id} came after ${lastId}`)
    lastId = id
  }

  function judge(requestId: string, life: Life): void {
    looked += 1
    if (life.expired !== makers) fault(`V4: ${requestId} ended on ${life.expired} of ${makers} streams`)
    if (life.confirmed > 1) fault(`V1: ${requestId} was confirmed ${life.confirmed} times`)
    for (const maker of life.quotes.keys()) {
      const ends = life.ends.get(maker) ?? 0
      if (ends !== 1) fault(`V3: maker ${maker} got ${ends} last messages about ${requestId}`)
    }
  }

  return {
    streamed: (maker, event) => {
      hear(maker, event)
      if (event.kind === 'quote_request') return
      const life = lifeOf(event.requestId)
      life.expired += 1
      life.endedAt = now()
    },
    messaged: (maker, message) => {
      if (message.kind === 'accepted') {
        const { requestId } = message.acceptance
        const life = lifeOf(requestId)
        if (life.asked !== null && life.asked !== maker) fault(`V1: ${requestId} waits for two makers`)
        life.asked = maker
      }
      if (message.kind !== 'confirmed' && message.kind !== 'rejected') return
      const life = lifeOf(message.requestId)
      life.ends.set(maker, (life.ends.get(maker) ?? 0) + 1)
      if (message.kind === 'confirmed') life.confirmed += 1
    },
    opened: (requestId, makersConnected) => {
      lifeOf(requestId)
      if (makersConnected !== makers) fault(`V9: ${makersConnected} of ${makers} makers were connected`)
    },
    quoted: (maker, requestId, price) => void lifeOf(requestId).quotes.set(maker, price),
    declined: (maker, requestId) => {
      const life = lifeOf(requestId)
      life.declined.add(maker)
      life.asked = null
    },
    committed: (requestId, price) => {
      const { quotes, declined } = lifeOf(requestId)
      const standing = [...quotes].filter(([maker]) => !declined.has(maker)).map(([, offered]) => offered)
      if (standing.some((offered) => offered < price))
        fault(`V7: ${requestId} was taken at a price that was not the best`)
    },
    failed: (what, error) => fault(`${what}: ${error instanceof Error ? error.message : String(error)}`),
    settle: (endedBefore) => {
      for (const [requestId, life] of lives) {
        if (life.endedAt === null || life.endedAt >= endedBefore) continue
        judge(requestId, life)
        lives.delete(requestId)
      }
    },
    report: () => ({ faults, examples, looked }),
  }
}
