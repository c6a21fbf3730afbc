import type { Reply } from './stranger.ts'

/** What came of many calls: how often each status, and how long each took, in milliseconds. */
export type Tally = { statuses: Map<number, number>; times: number[] }

/** Makes so many calls, so many of them at a time. */
export async function flood(
  count: number,
  width: number,
  one: (n: number) => Promise<Pick<Reply, 'status'>>,
): Promise<Tally> {
  const statuses = new Map<number, number>()
  const times: number[] = []
  let next = 0
  async function work(): Promise<void> {
    while (next < count) {
      const n = next++
      const begun = performance.now()
      const { status } = await one(n)
      times.push(performance.now() - begun)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, count) }, work))
  return { statuses, times }
}

/** The time that this share of the calls did not take longer than, in milliseconds. */
export function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
