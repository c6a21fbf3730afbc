/** Runs one batch at a time; jobs added meanwhile form the next. `run` must not fail: it answers each job itself. */
export function createBatches<Job>(run: (batch: readonly Job[]) => Promise<void>) {
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
    add: (job: Job): void => {
      waiting.push(job)
      work ??= runAll()
    },
    /** Resolves when no batch is running. */
    idle: async (): Promise<void> => {
      await work
    },
  }
}
