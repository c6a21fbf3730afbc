import { afterAll } from 'vitest'

const closers = new Set<() => void>()

/** Remembers something to be ended with the test file. Tests run side by side, so that none owns a connection alone. */
export function keep(close: () => void): void {
  closers.add(close)
}

afterAll(() => {
  for (const close of closers) close()
  closers.clear()
})
