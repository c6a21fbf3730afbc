import type { MakerClient, SignatureRequest } from '../../client/index.ts'
import { throwIfLost } from '../../dashboard/feed.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import type { Cli } from '../cli.ts'
import { runFor } from '../context/run-for.ts'
import { duration } from '../terminal/format.ts'

/** Which order: a start of its quoteId or requestId (any, when absent), and how long to wait for it, milliseconds. */
export type PendingInput = { text: string | undefined; waitMs: number | null }

/** The order that waits for this maker's signature, or the first one that comes in time. */
export async function findPending(
  cli: Cli,
  client: MakerClient,
  { text = '', waitMs }: PendingInput,
): Promise<SignatureRequest> {
  const isMeant = ({ quoteId, requestId }: SignatureRequest) => quoteId.startsWith(text) || requestId.startsWith(text)
  const { pending } = await client.getOwnBook({ signal: cli.stop })
  const [found, other] = pending.filter(isMeant)
  if (other !== undefined) throw ambiguous(pending)
  const acceptance = found ?? (waitMs === null ? undefined : await nextPending(cli, client, { isMeant, waitMs }))
  if (acceptance !== undefined) return acceptance
  throw waitMs === null ? nothingPending(text) : notInTime(waitMs)
}

async function nextPending(
  cli: Cli,
  client: MakerClient,
  { isMeant, waitMs }: { isMeant: (acceptance: SignatureRequest) => boolean; waitMs: number },
): Promise<SignatureRequest | undefined> {
  let found: SignatureRequest | undefined
  await runFor(waitMs, cli.stop, async (signal) => {
    for await (const message of client.watchOrders({ signal, onLink: throwIfLost })) {
      if (message.kind === 'connected') cli.out.note('ready: waiting for an order to sign')
      if (message.kind !== 'accepted' || !isMeant(message.acceptance)) continue
      found = message.acceptance
      return
    }
  })
  return found
}

const nothingPending = (text: string): CliError =>
  new CliError(text === '' ? 'no order waits for your signature' : `no order for ${text} waits for your signature`, {
    code: 'no_pending_acceptance',
    exitCode: EXIT.notFound,
    hint: 'wait for a taker to commit: --wait 5m',
  })

const notInTime = (waitMs: number): CliError =>
  new CliError(`no order to sign arrived within ${duration(waitMs)}`, { code: 'timed_out', exitCode: EXIT.timedOut })

const ambiguous = (pending: readonly SignatureRequest[]): CliError =>
  new CliError(`${pending.length} orders wait for your signature`, {
    code: 'ambiguous',
    why: pending.map(({ quoteId, requestId }) => `quote ${quoteId} of request ${requestId}`),
    hint: 'name the quote; its id may be shortened',
  })
