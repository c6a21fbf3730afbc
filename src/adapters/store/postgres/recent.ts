/** The newest of some values. */
export type Recent<Value> = {
  get: (key: string) => Value | undefined
  set: (key: string, value: Value) => void
}

/** Keeps so many values, and forgets the oldest for the next. */
export function createRecent<Value>(limit: number): Recent<Value> {
  const values = new Map<string, Value>()
  return {
    get: (key) => values.get(key),
    set: (key, value) => {
      values.set(key, value)
      const oldest = values.keys().next()
      if (values.size > limit && !oldest.done) values.delete(oldest.value)
    },
  }
}
