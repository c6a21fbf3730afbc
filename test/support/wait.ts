/** Lets the event loop turn until something holds; the test's own timeout is the limit. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await nextTurn()
}

/** Lets the event loop turn so many times. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn()
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
