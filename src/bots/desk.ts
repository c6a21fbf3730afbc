import { type LinkedAbort, linkAbort } from '../client/abort.ts'
import type { AnnouncedRequest, RequestTerms } from '../client/index.ts'
import { type DealerTools, dealRequest } from './dealer.ts'
import type { Random } from './random.ts'
import { drawMood, type Mood } from './strategy.ts'

/** The requests that a maker knows of, and its dealing in them. */
export type Desk = {
  /** Starts to deal in a request; one heard again is lost from the relay's book and quoted again, in the same mood. */
  deal: (request: AnnouncedRequest) => void
  /** Stops to deal in a request that is over. */
  forget: (requestId: string) => void
  /** What a known request asks for. */
  termsOf: (requestId: string) => RequestTerms | null
}

type Entry = { request: AnnouncedRequest; mood: Mood; dealing: LinkedAbort }

/** An empty desk. It deals from when `ready` resolves until `signal` aborts; a refusal of the maker itself goes to `fail`. */
export function createDesk({
  tools,
  random,
  ready,
  signal,
  fail,
}: {
  tools: DealerTools
  random: Random
  ready: Promise<void>
  signal: AbortSignal
  fail: (error: unknown) => void
}): Desk {
  const entries = new Map<string, Entry>()

  const leave = (requestId: string): void => entries.get(requestId)?.dealing.abort()

  async function run({ request, mood, dealing }: Entry): Promise<void> {
    try {
      await ready
      await dealRequest(tools, { request, mood, signal: dealing.signal })
    } catch (error) {
      if (!dealing.signal.aborted) fail(error)
    } finally {
      dealing.release()
    }
  }

  return {
    deal: (request) => {
      const mood = entries.get(request.requestId)?.mood ?? drawMood(tools.style, random)
      leave(request.requestId)
      const entry = { request, mood, dealing: linkAbort(signal) }
      entries.set(request.requestId, entry)
      tools.onEvent({ kind: 'heard', request })
      void run(entry)
    },
    forget: (requestId) => {
      leave(requestId)
      entries.delete(requestId)
    },
    termsOf: (requestId) => entries.get(requestId)?.request.terms ?? null,
  }
}
