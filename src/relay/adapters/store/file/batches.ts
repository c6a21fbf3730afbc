/** Runs one batch at a time; jobs added meanwhile form the next. */
export type Batches<Job> = {
  add: (job: Job) => void
  /** Resolves when no batch is running. */
  idle: () => Promise<void>
}

/** `run` must not fail: it answers each job itself. */
export function createBatches<Job>(run: (batch: readonly Job[]) => Promise<void>): Batches<Job> {
  let waiting: Job[] = []
  let work: Promise<void> | null = null

  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
      // Jobs added in the same turn join the batch.
      await null
      const batch = waiting
      waiting = []
      await run(batch)
    }
    work = null
  }

  return {
    add: (job) => {
      waiting.push(job)
      work ??= runAll()
    },
    idle: async () => {
      await work
    },
  }
}
