/** The causes of an error, outermost first; an error may be its own cause. */
export function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = []
  let current = error
  while (current instanceof Error && current.cause !== undefined && !causes.includes(current.cause)) {
    current = current.cause
    causes.push(current)
  }
  return causes
}

/** The first line of what an error says. */
export const textOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? 'unknown'
