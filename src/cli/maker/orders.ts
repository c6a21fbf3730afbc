import { type MakerClient, type SignatureRequest, usd6ToNumber } from '@rfqctl/client/index'
import { CliError } from '@rfqctl/lib/cli-error'
import { duration, shortId, usd } from '@rfqctl/lib/format'
import type { Address } from '@rfqctl/protocol/domain/units'
import { throwIfLost } from '@rfqctl/web/dashboard/feed'
import type { Cli, Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { type MakerClientOptions, makerClient } from '../context/clients.ts'
import { runFor } from '../context/run-for.ts'
import { findOffer, type KeptOffer, saveOffer } from '../context/saved-requests.ts'
import { type ChainOptions, dataDirOf, type RelayOptions } from '../context/targets.ts'

type ConfirmOptions = MakerClientOptions & { wait?: number }

/** Signs only an order that matches the offer of `maker quote`. */
export const confirm: Run<ConfirmOptions, [quote?: string]> = async (cli, options, text) => {
  const dataDir = dataDirOf(cli, options)
  const { client, wallet } = await makerClient(cli, options)
  const acceptance = await findPending(cli, client, { text, waitMs: options.wait ?? null })
  const { quoteId, requestId, order } = acceptance
  const kept = signable(findOffer(dataDir, quoteId), { quoteId, nonce: order.nonce, wallet })
  // Saved before sending: from now on, no order with another nonce is signed for this offer.
  saveOffer(dataDir, { ...kept, nonce: order.nonce })
  await client.confirmOrder({ acceptance, offer: kept.offer, signal: cli.stop })
  const { optionAmount, premiumAmount, taker, makerSelling } = order
  cli.out.print(
    {
      type: 'confirmed',
      requestId,
      quoteId,
      taker,
      makerSelling,
      optionAmount: Number(optionAmount),
      premium: usd6ToNumber(premiumAmount),
      validUntil: order.validUntil,
    },
    `signed: ${makerSelling ? 'sold' : 'bought'} ${optionAmount} for ${usd(premiumAmount)}, once ${taker} fills`,
  )
}

/** Refuses an order for an offer not made here or for another wallet, or for which another order was signed. */
function signable(
  kept: KeptOffer | null,
  { quoteId, nonce, wallet }: { quoteId: string; nonce: number; wallet: Address },
): KeptOffer {
  if (kept === null) {
    throw new CliError(`quote ${shortId(quoteId)} was not made here, so its order was not signed`, {
      code: 'unknown_offer',
      hint: 'sign where rfqctl maker quote was confirm, or release the taker: rfqctl maker decline',
    })
  }
  const { maker } = kept.offer.quote
  if (maker !== wallet) {
    throw new CliError(`quote ${shortId(quoteId)} was made for another wallet, so its order was not signed`, {
      code: 'wrong_wallet',
      why: [`it is of ${maker}, not of ${wallet}`],
      hint: `sign with the key of that wallet, or with one that it authorised: --maker ${maker}`,
    })
  }
  if (kept.nonce === null || kept.nonce === nonce) return kept
  throw new CliError(`another order was already signed for quote ${shortId(quoteId)}`, {
    code: 'order_mismatch',
    why: [`that one has nonce ${kept.nonce}, this one has ${nonce}`],
  })
}

type DeclineOptions = RelayOptions & ChainOptions & AccountOptions & { reason?: string; wait?: number }

/** Declining lets the taker continue with the next maker at once. */
export const decline: Run<DeclineOptions, [quote?: string]> = async (cli, options, text) => {
  const { client } = await makerClient(cli, options)
  const { quoteId, requestId } = await findPending(cli, client, { text, waitMs: options.wait ?? null })
  const { reason } = options
  await client.declineOrder({ quoteId, signal: cli.stop, ...(reason === undefined ? {} : { reason }) })
  cli.out.print({ type: 'declined', requestId, quoteId, reason: reason ?? null }, `declined quote ${shortId(quoteId)}`)
}

/** `text` is a prefix of the quoteId or requestId, `waitMs` the longest wait in milliseconds. */
type PendingInput = { text: string | undefined; waitMs: number | null }

/** The order that waits for this maker's signature, or the first one that comes in time. */
async function findPending(
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
    for await (const message of client.watchOrders({ signal, onConnectionState: throwIfLost })) {
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
    hint: 'wait for a taker to commit: --wait 5m',
  })

const notInTime = (waitMs: number): CliError =>
  new CliError(`no order to sign arrived within ${duration(waitMs)}`, { code: 'timed_out' })

const ambiguous = (pending: readonly SignatureRequest[]): CliError =>
  new CliError(`${pending.length} orders wait for your signature`, {
    code: 'ambiguous',
    why: pending.map(({ quoteId, requestId }) => `quote ${quoteId} of request ${requestId}`),
    hint: 'name the quote; its id may be shortened',
  })
