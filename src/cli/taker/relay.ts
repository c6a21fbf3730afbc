import type { CommittedTrade } from '@rfqctl/client/fill'
import {
  createRelayerClient,
  type PartnerFee,
  type RelayerClient,
  RelayUnreachableError,
  type TakerClient,
  type Usd6,
  usd6,
} from '@rfqctl/client/index'
import { CliError } from '@rfqctl/lib/cli-error'
import { EXIT } from '@rfqctl/lib/exit'
import { exactUsd } from '@rfqctl/lib/format'
import type { PaymentMethod, RelayerTerms } from '@rfqctl/protocol/domain/gasless-fill'
import type { Hex } from '@rfqctl/protocol/domain/units'
import type { Cli } from '../cli.ts'

/** Flags that let a relayer fill in place of the wallet. */
export type RelayOfFillOptions = { relayer?: string; maxFee?: Usd6 }

/** Its terms were read before anything was committed. */
export type OpenRelayer = { url: string; client: RelayerClient; terms: RelayerTerms; maxFee: Usd6 }

/** A dollar, the default of `--max-fee`. */
const MAX_FEE = usd6(1_000_000n)

/**
 * Reads `--relayer` or `RFQCTL_RELAYER_URL` and shows the terms; null where the wallet fills itself. Refuses, before
 * anything is committed, a relayer that takes no fills now or charges more than `--max-fee`.
 */
export async function openRelayer(cli: Cli, options: RelayOfFillOptions): Promise<OpenRelayer | null> {
  const url = options.relayer ?? cli.environment.RFQCTL_RELAYER_URL
  if (url === undefined || url === '') return null
  if (!/^https?:\/\/\S+$/.test(url) || !URL.canParse(url)) {
    throw new CliError('the address of the relayer is not an http(s) URL', { hint: '--relayer http://127.0.0.1:8788' })
  }
  const client = createRelayerClient({ url: url.replace(/\/+$/, '') })
  const terms = await client.getTerms({ signal: cli.stop }).catch((error: unknown) => {
    if (!(error instanceof RelayUnreachableError)) throw error
    throw new CliError(error.message, {
      code: 'unreachable',
      hint: 'fill from the wallet itself, without --relayer, or start one: rfqctl relayer run',
    })
  })
  const maxFee = options.maxFee ?? MAX_FEE
  const { fee, feeRecipient, isAccepting, reason } = terms
  if (!isAccepting) {
    throw new CliError('the relayer takes no fills now', {
      code: 'relayer_unavailable',
      exitCode: EXIT.refused,
      why: reason === null ? [] : [reason],
      hint: 'fill from the wallet itself, without --relayer, or try again later',
    })
  }
  if (fee > maxFee) {
    throw new CliError(`the relayer asks ${exactUsd(fee)}, above the limit of ${exactUsd(maxFee)}`, {
      code: 'fee_above_limit',
      hint: 'allow more with --max-fee, or fill from the wallet itself, without --relayer',
    })
  }
  cli.out.note(`fee: ${exactUsd(fee)} to ${feeRecipient}, for a fill without gas by ${url}`)
  return { url, client, terms, maxFee }
}

/** Pays the fee shown, and reads from the chain that the fill happened. */
export async function relayFill(
  cli: Cli,
  {
    client,
    commitment,
    relayer: { client: relayer, terms, maxFee },
    partnerFee,
    payment,
  }: {
    client: TakerClient
    commitment: CommittedTrade
    relayer: OpenRelayer
    partnerFee: PartnerFee | null
    payment: PaymentMethod | undefined
  },
): Promise<{ transactionHash: Hex; blockNumber: bigint; fee: Usd6; payment: PaymentMethod }> {
  cli.out.note('signing for the relayer')
  const way = payment === undefined ? {} : { payment }
  const fill = await client.prepareGaslessFill({ commitment, terms, maxFee, partnerFee, ...way, signal: cli.stop })
  const { status, transactionHash, reason } = await relayer.submitFillUntilMined({ fill, signal: cli.stop })
  if (status !== 'filled' || transactionHash === null) {
    throw new CliError('the relayer did not fill the order', {
      code: 'relayer_failed',
      why: reason === null ? [] : [reason],
      hint: 'fill from the wallet itself while the order lasts: rfqctl taker fill',
    })
  }
  const { blockNumber } = await client.confirmRelayedFill({ commitment, transactionHash, signal: cli.stop })
  return { transactionHash, blockNumber, fee: terms.fee, payment: fill.payment.method }
}
