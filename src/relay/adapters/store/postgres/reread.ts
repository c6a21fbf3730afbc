import { RfqError } from '@rfqctl/protocol/domain/errors'

/**
 * Runs work that may have succeeded although its answer was lost, and then reads: the result of `reread` is the answer.
 * When it finds nothing the outage is reported, because the statement may still be on its way.
 */
export async function rereadAfterLostReply<Result>(
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
