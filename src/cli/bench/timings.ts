import { percentile } from '../../domain/reliability.ts'

/** What many runs of one thing came to; times in milliseconds. */
export type Timings = { count: number; perSecond: number; p50Ms: number; p99Ms: number }

/** Runs a work again and again for `ms`, so many at a time, until the signal ends it. A failure ends it at once. */
export async function timeFor(
  { ms, atOnce, signal }: { ms: number; atOnce: number; signal: AbortSignal },
  work: () => Promise<unknown>,
): Promise<Timings> {
  const times: number[] = []
  const begunAt = performance.now()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (performance.now() - begunAt < ms) {
        signal.throwIfAborted()
        const startedAt = performance.now()
        await work()
        times.push(performance.now() - startedAt)
      }
    }),
  )
  return summary(times, performance.now() - begunAt)
}

/** Runs a work so often, one after the other; it tells its own time in milliseconds. */
export async function timeEach(
  { times: count, signal }: { times: number; signal: AbortSignal },
  work: () => Promise<number>,
): Promise<Timings> {
  const times: number[] = []
  const begunAt = performance.now()
  for (let i = 0; i < count; i += 1) {
    signal.throwIfAborted()
    times.push(await work())
  }
  return summary(times, performance.now() - begunAt)
}

const summary = (times: readonly number[], tookMs: number): Timings => ({
  count: times.length,
  perSecond: (times.length * 1_000) / tookMs,
  p50Ms: percentile(times, 0.5) ?? 0,
  p99Ms: percentile(times, 0.99) ?? 0,
})
