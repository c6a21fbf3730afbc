import { createQuality } from '@rfqctl/protocol/domain/quality'
import { decodeLeafRecord } from '@rfqctl/protocol/wire/transcript'
import type { Clock } from '../../core/ports/runtime.ts'
import type { QualityOfMonth } from '../../core/ports/transparency.ts'
import type { LogStorage } from './storage.ts'

/** Leaves that are read before calls have their turn again, some 4 ms of work, and the pause after them, in milliseconds. */
const AT_ONCE = 200
const PAUSE_MS = 20

/** Between two looks at the log for new leaves, however many readers there are, in milliseconds. */
const LOOK_EVERY_MS = 5_000

/** A reader waits for new leaves at most this long, in milliseconds; what is left comes with a later answer. */
const WAIT_MS = 2_000

/** Adds the leaves of a log up to the quality of makers when it is read: without a reader it costs nothing. */
export function createQualityReader({ storage, clock }: { storage: Pick<LogStorage, 'leavesFrom'>; clock: Clock }) {
  const quality = createQuality()
  let from: number | null = null
  let to = 0
  let lookedAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null
  /** Figures of months, which cost some 30 ms, as of the leaf `to`: anyone may ask for them again and again. */
  const known = new Map<string, QualityOfMonth>()

  const pause = (ms: number) => new Promise<void>((resolve) => void clock.schedule(clock.now() + ms, resolve))

  async function readNew(): Promise<void> {
    for (;;) {
      const leaves = await storage.leavesFrom(to, AT_ONCE)
      for (const { index, text } of leaves) {
        const { entry } = decodeLeafRecord(JSON.parse(text))
        if (entry !== null) quality.add(entry)
        from ??= index
        to = index + 1
      }
      if (leaves.length < AT_ONCE) return
      await pause(PAUSE_MS)
    }
  }

  return async (month: string): Promise<QualityOfMonth> => {
    if (reading === null && clock.now() - lookedAt >= LOOK_EVERY_MS) {
      lookedAt = clock.now()
      reading = readNew().finally(() => {
        reading = null
      })
    }
    if (reading !== null) await Promise.race([reading, pause(WAIT_MS)])
    const former = known.get(month)
    if (former?.to === to) return former
    const figures = { from: from ?? to, to, makers: quality.ofMonth(month) }
    // A month without makers costs nothing, and a stranger names any.
    if (figures.makers.length > 0) known.set(month, figures)
    return figures
  }
}
