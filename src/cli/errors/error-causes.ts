/** Outermost first; an error may be its own cause. */
export function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = []
  let current = error
  while (current instanceof Error && current.cause !== undefined && !causes.includes(current.cause)) {
    current = current.cause
    causes.push(current)
  }
  return causes
}

/** The first line; where a host has several addresses, the failure at the first. */
export function textOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '' && error.errors.length > 0) return textOf(error.errors[0])
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? 'unknown'
}

/** Contains nothing that could be a secret (invariant V8). Loads the log's rules only when needed. */
export async function scrubbedStack(fault: unknown): Promise<string> {
  const { scrub } = await import('@rfqctl/relay/adapters/log')
  return scrub(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault))
}
