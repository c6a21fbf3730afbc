import { RfqError } from '../domain/errors.ts'
import { closeRequest } from './close-request.ts'
import type { Context } from './context.ts'
import { assertTakerSecret, findRequest } from './find-request.ts'

/** Ends a request on behalf of its taker. */
export async function cancelRequest(
  context: Context,
  { requestId, takerSecret }: { requestId: string; takerSecret: string | null },
): Promise<void> {
  const { request, status } = await findRequest(context, requestId)
  assertTakerSecret(context, request, takerSecret)
  if (status !== 'open') throw new RfqError('request_closed')
  const result = await closeRequest(context, { requestId, status: 'cancelled' })
  if (result === 'locked') throw new RfqError('commit_in_progress')
  if (result === 'absent') throw new RfqError('request_closed')
}
