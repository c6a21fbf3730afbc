import { usd6ToNumber } from '../../client/index.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import type { Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { makerClient } from '../context/clients.ts'
import { dataDirOf } from '../context/data-dir.ts'
import type { ChainOptions, RelayOptions } from '../context/targets.ts'
import { shortId, usd } from '../terminal/format.ts'
import { findOffer, type KeptOffer, saveOffer } from './offers.ts'
import { findPending } from './pending.ts'

type Options = RelayOptions & ChainOptions & AccountOptions & { wait?: number }

/** Signs the order of a quote that won, if it is what `maker quote` offered, and confirms it. */
export const run: Run<Options, [quote?: string]> = async (cli, options, text) => {
  const dataDir = dataDirOf(cli, options)
  const { client } = await makerClient(cli, options)
  const acceptance = await findPending(cli, client, { text, waitMs: options.wait ?? null })
  const { quoteId, requestId, order } = acceptance
  const kept = signable(findOffer(dataDir, quoteId), quoteId, order.nonce)
  // Kept first: whatever happens now, no order of another nonce is signed for this offer.
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

/** Refuses an order for an offer that was not made here, or that another order was signed for. */
function signable(kept: KeptOffer | null, quoteId: string, nonce: number): KeptOffer {
  if (kept === null) {
    throw new CliError(`quote ${shortId(quoteId)} was not made here, so its order was not signed`, {
      code: 'unknown_offer',
      exitCode: EXIT.refused,
      hint: 'sign where rfqctl maker quote was run, or release the taker: rfqctl maker decline',
    })
  }
  if (kept.nonce === null || kept.nonce === nonce) return kept
  throw new CliError(`another order was already signed for quote ${shortId(quoteId)}`, {
    code: 'order_mismatch',
    exitCode: EXIT.refused,
    why: [`that one has nonce ${kept.nonce}, this one has ${nonce}`],
  })
}
