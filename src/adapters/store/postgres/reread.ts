import { RfqError } from '../../../domain/errors.ts'

/**
 * Does something that may be done although its answer was lost, and then looks: what `reread` finds is the answer. When it
 * finds nothing the outage stands, because the statement may still be on its way.
 */
export async function rereadIfLost<Result>(
  work: () => Promise<Result>,
  reread: () => Promise<Result | null>,
): Promise<Result> {
  try {
    return await work()
  } catch (outage) {
    if (!(outage instanceof RfqError)) throw outage
    const found = await reread().catch(() => null)
    if (found === null) throw outage
    return found
  }
}
