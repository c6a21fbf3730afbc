/** Carries values from callbacks to one asynchronous reader. Values pushed before the end are still read. */
export type Queue<Value> = {
  push: (value: Value) => void
  /** Ends the reading: by `error` when one is given. Later pushes and ends are ignored. */
  end: (error?: Error) => void
  read: () => AsyncGenerator<Value, void>
}

/** An empty queue. */
export function createQueue<Value>(): Queue<Value> {
  const values: Value[] = []
  let ended: { error: Error | undefined } | null = null
  let wake = () => {}

  return {
    push: (value) => {
      if (ended === null) values.push(value)
      wake()
    },
    end: (error) => {
      ended ??= { error }
      wake()
    },
    read: async function* () {
      for (;;) {
        yield* values.splice(0)
        if (values.length > 0) continue
        if (ended !== null) {
          if (ended.error !== undefined) throw ended.error
          return
        }
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
