/** The stack of a fault without anything that could be a secret (invariant V8). Loads the log's rules only when needed. */
export async function scrubbedStack(fault: unknown): Promise<string> {
  const { scrub } = await import('../../adapters/log.ts')
  return scrub(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault))
}
