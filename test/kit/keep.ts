const closers = new Set<() => void>()

/** Remembers something to be ended with the test file. Tests run side by side, so that none owns a connection alone. */
export function keep(close: () => void): void {
  closers.add(close)
}

/** Ends all that was to be kept. */
export function closeAll(): void {
  for (const close of closers) close()
  closers.clear()
}
