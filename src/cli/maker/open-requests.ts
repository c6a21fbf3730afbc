import type { AnnouncedRequest, MakerClient } from '../../client/index.ts'
import { throwIfLost } from '../../dashboard/once.ts'
import { findByPrefix } from '../find-by-prefix.ts'

/** The open request that a maker means by a start of its id; the newest one when it says nothing. */
export async function findOpenRequest(
  client: MakerClient,
  text: string | undefined,
  signal: AbortSignal,
): Promise<AnnouncedRequest> {
  const items = await readOpenRequests(client, signal)
  const newest = items.at(-1)
  if (text === undefined && newest !== undefined) return newest
  return findByPrefix(text ?? '', {
    noun: 'open request',
    items,
    idOf: ({ requestId }) => requestId,
    list: 'rfqctl maker stream',
  })
}

/** What is open now, oldest first, as the stream begins with it. */
async function readOpenRequests(client: MakerClient, signal: AbortSignal): Promise<AnnouncedRequest[]> {
  const open: AnnouncedRequest[] = []
  for await (const event of client.requests({ signal, onLink: throwIfLost })) {
    if (event.kind === 'snapshot_complete') break
    if (event.kind === 'quote_request') open.push(event.request)
  }
  return open
}
