/** Virtual time: everything of a simulation happens at a moment of it, one thing after the other. */
export type Timeline = {
  /** True time, Unix milliseconds with fractions; no process of the simulation knows it. */
  now: () => number
  /** Does something at a time, or now where that has passed. Things of one moment happen in the order in which they were set. */
  at: (time: number, run: () => void) => () => void
  /** Does everything that is due until then, each thing with all that follows from it without a wait. */
  runUntil: (end: number) => Promise<void>
  /** How many things have happened. */
  steps: () => number
}

type Entry = { time: number; order: number; run: (() => void) | null }

export function createTimeline(startMs: number): Timeline {
  const heap: Entry[] = []
  let now = startMs
  let order = 0
  let steps = 0

  return {
    now: () => now,
    steps: () => steps,
    at: (time, run) => {
      order += 1
      const entry: Entry = { time: Math.max(time, now), order, run }
      push(heap, entry)
      return () => {
        entry.run = null
      }
    },
    runUntil: async (end) => {
      for (let next = heap[0]; next !== undefined && next.time <= end; next = heap[0]) {
        pop(heap)
        const { run } = next
        if (run === null) continue
        now = next.time
        steps += 1
        run()
        await settled()
      }
      now = end
    },
  }
}

/** A tick comes when all promises have settled, and costs a fraction of a turn of the event loop. */
const settled = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))

const isBefore = (a: Entry, b: Entry): boolean => a.time < b.time || (a.time === b.time && a.order < b.order)

function push(heap: Entry[], entry: Entry): void {
  let place = heap.push(entry) - 1
  while (place > 0) {
    const parent = (place - 1) >> 1
    if (!isBefore(entry, heap[parent] as Entry)) break
    heap[place] = heap[parent] as Entry
    place = parent
  }
  heap[place] = entry
}

function pop(heap: Entry[]): void {
  const last = heap.pop() as Entry
  const { length } = heap
  if (length === 0) return
  let place = 0
  for (;;) {
    let child = 2 * place + 1
    if (child >= length) break
    if (child + 1 < length && isBefore(heap[child + 1] as Entry, heap[child] as Entry)) child += 1
    if (!isBefore(heap[child] as Entry, last)) break
    heap[place] = heap[child] as Entry
    place = child
  }
  heap[place] = last
}
