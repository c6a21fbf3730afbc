import type { CommittedTrade } from '@rfqctl/client/fill'
import {
  createRelayerClient,
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

/** Who fills in place of the wallet, as flags. */
export type RelayOfFillOptions = { relayer?: string; maxFee?: Usd6 }

/** A relayer that was asked for its terms, before anything was committed. */
export type OpenRelayer = { url: string; client: RelayerClient; terms: RelayerTerms; maxFee: Usd6 }

/** The most that a relayer may charge when no one said otherwise: a dollar. */
const MAX_FEE = usd6(1_000_000n)

/**
 * The relayer of `--relayer` or `RFQCTL_RELAYER_URL`, and what it charges, which is shown; null where the wallet fills by itself. Refuses
 * one that takes no fills now or asks for more than `--max-fee`, while nothing is committed.
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
      exitCode: EXIT.unreachable,
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
      exitCode: EXIT.refused,
      hint: 'allow more with --max-fee, or fill from the wallet itself, without --relayer',
    })
  }
  cli.out.note(`fee: ${exactUsd(fee)} to ${feeRecipient}, for a fill without gas by ${url}`)
  return { url, client, terms, maxFee }
}

/** Has a relayer fill a signed trade, for the fee that was shown, and reads from the chain that it did. */
export async function relayFill(
  cli: Cli,
  {
    client,
    commitment,
    relayer: { client: relayer, terms, maxFee },
    payment,
  }: { client: TakerClient; commitment: CommittedTrade; relayer: OpenRelayer; payment: PaymentMethod | undefined },
): Promise<{ transactionHash: Hex; blockNumber: bigint; fee: Usd6; payment: PaymentMethod }> {
  cli.out.note('signing for the relayer')
  const way = payment === undefined ? {} : { payment }
  const fill = await client.prepareGaslessFill({ commitment, terms, maxFee, ...way, signal: cli.stop })
  const { status, transactionHash, reason } = await relayer.submitFillUntilMined({ fill, signal: cli.stop })
  if (status !== 'filled' || transactionHash === null) {
    throw new CliError('the relayer did not fill the order', {
      code: 'relayer_failed',
      exitCode: EXIT.refused,
      why: reason === null ? [] : [reason],
      hint: 'fill from the wallet itself while the order lasts: rfqctl taker fill',
    })
  }
  const { blockNumber } = await client.confirmRelayedFill({ commitment, transactionHash, signal: cli.stop })
  return { transactionHash, blockNumber, fee: terms.fee, payment: fill.payment.method }
}
