import type { AnnouncedRequest } from '@rfqctl/client/index'
import { type LinkedAbort, linkAbort } from '@rfqctl/lib/abort'
import { drawQuotePlan, type QuotePlan } from './quote-plan.ts'
import { type QuoterContext, runQuoter } from './quoter.ts'
import type { Random } from './random.ts'

type Entry = { request: AnnouncedRequest; plan: QuotePlan; quoting: LinkedAbort }

/** Quotes from when `ready` resolves until `signal` aborts; a refusal of the maker itself goes to `fail`. */
export function createRequestTracker(parts: {
  context: QuoterContext
  random: Random
  ready: Promise<void>
  signal: AbortSignal
  fail: (error: unknown) => void
}) {
  const { context, random, ready, signal, fail } = parts
  const entries = new Map<string, Entry>()

  const stopQuoting = (requestId: string): void => entries.get(requestId)?.quoting.abort()

  async function run({ request, plan, quoting }: Entry): Promise<void> {
    try {
      await ready
      await runQuoter(context, { request, plan, signal: quoting.signal })
    } catch (error) {
      if (!quoting.signal.aborted) fail(error)
    } finally {
      quoting.release()
    }
  }

  return {
    /** Starts to quote a request. One that the relay's book lost and announced again is quoted by the same plan. */
    track: (request: AnnouncedRequest): void => {
      const plan = entries.get(request.requestId)?.plan ?? drawQuotePlan(context.style, random)
      stopQuoting(request.requestId)
      const entry = { request, plan, quoting: linkAbort(signal) }
      entries.set(request.requestId, entry)
      context.onEvent({ kind: 'heard', request })
      void run(entry)
    },
    forget: (requestId: string): void => {
      stopQuoting(requestId)
      entries.delete(requestId)
    },
    termsOf: (requestId: string) => entries.get(requestId)?.request.terms ?? null,
  }
}
