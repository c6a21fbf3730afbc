import type { AnnouncedRequest, MakerClient } from '../../client/index.ts'
import { throwIfLost } from '../../dashboard/feed.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import { findByPrefix } from '../context/find-by-prefix.ts'

/** The open request that a maker means by a start of its id; the newest one when it says nothing. */
export async function findOpenRequest(
  client: MakerClient,
  text: string | undefined,
  signal: AbortSignal,
): Promise<AnnouncedRequest> {
  const items = await readOpenRequests(client, signal)
  if (text === undefined) return items.at(-1) ?? refuseNone()
  return findByPrefix(text, {
    noun: 'open request',
    items,
    idOf: ({ requestId }) => requestId,
    list: 'rfqctl maker stream',
  })
}

function refuseNone(): never {
  throw new CliError('no request is open', {
    code: 'not_found',
    exitCode: EXIT.notFound,
    hint: 'wait for one: rfqctl maker stream',
  })
}

/** What is open now, oldest first, as the stream begins with it. */
async function readOpenRequests(client: MakerClient, signal: AbortSignal): Promise<AnnouncedRequest[]> {
  const open: AnnouncedRequest[] = []
  for await (const event of client.watchQuoteRequests({ signal, onLink: throwIfLost })) {
    if (event.kind === 'snapshot_complete') break
    if (event.kind === 'quote_request') open.push(event.request)
  }
  return open
}
