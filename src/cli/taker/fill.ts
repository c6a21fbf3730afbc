import type { ApprovalMethod, OrderSigner, PartnerFee, TakerClient } from '@rfqctl/client/index'
import { CliError } from '@rfqctl/lib/cli-error'
import { exactUsd, optionsText, shortId, usd } from '@rfqctl/lib/format'
import { usd6ToNumber } from '@rfqctl/protocol/domain/decimal'
import type { PaymentMethod } from '@rfqctl/protocol/domain/gasless-fill'
import { partnerShare } from '@rfqctl/protocol/domain/partner-fee'
import { isReduceOnly } from '@rfqctl/protocol/domain/request'
import type { Hex, Usd6 } from '@rfqctl/protocol/domain/units'
import type { Cli, Run } from '../cli.ts'
import { DEFAULT_TAKER, type SameAccountOptions } from '../context/account.ts'
import { walletClient } from '../context/clients.ts'
import { findSavedRequest, type SavedRequest, saveRequest } from '../context/saved-requests.ts'
import { type ChainOptions, dataDirOf, type RelayOptions } from '../context/targets.ts'
import { dueJson, dueLine, type PartnerOptions, partnerIn } from './partner.ts'
import { type OpenRelayer, openRelayer, type RelayOfFillOptions, relayFill } from './relay.ts'

/** Approves first, then fills. */
export const fill: Run<RelayOptions & ChainOptions & SameAccountOptions & FillOptions, [request?: string]> = async (
  cli,
  typed,
  text,
) => {
  const saved = findSavedRequest(cli, typed, text)
  const options = { ...typed, account: typed.account ?? saved.account ?? DEFAULT_TAKER }
  const { client } = await walletClient(cli, options)
  const isReducing = isReduceOnly(saved.request.terms.trade)
  const relayer = isReducing ? null : await openRelayer(cli, options)
  await fillSavedRequest(cli, options, { client, saved, relayer })
  cli.out.note('Next: rfqctl taker positions')
}

export type FillOptions = RelayOfFillOptions & PartnerOptions & { permit?: boolean; pay?: ApprovalMethod }

/** Pays and fills the signed trade, or has a relayer fill it, and shows what moved. */
export async function fillSavedRequest(
  cli: Cli,
  options: RelayOptions & FillOptions,
  { client, saved, relayer }: { client: TakerClient; saved: SavedRequest; relayer: OpenRelayer | null },
): Promise<void> {
  const { commitment } = saved
  const { requestId } = saved.request
  if (commitment === null) {
    throw new CliError(`request ${shortId(requestId)} is not committed`, {
      code: 'not_committed',
      hint: `rfqctl taker commit ${shortId(requestId, 'column')}`,
    })
  }
  if (saved.fillHash !== null) {
    throw new CliError(`request ${shortId(requestId)} is already filled`, {
      code: 'already_filled',
      why: [`in ${saved.fillHash}`],
      hint: 'rfqctl taker positions',
    })
  }
  const way = options.permit === true ? 'permit' : options.pay
  const partnerFee = partnerIn(options)
  const fees = { partnerFee, relayerFee: relayer === null ? null : relayer.terms.fee }
  const shown = commitment.onchain === null ? {} : dueJson(commitment.onchain.order, fees)
  const due = commitment.onchain === null ? null : dueLine(commitment.onchain.order, fees)
  if (due !== null) cli.out.print({ type: 'fees', requestId, ...shown }, due)
  if (relayer !== null) {
    const payment = way === 'approve' ? 'allowance' : way
    const relayed = await relayFill(cli, { client, commitment, relayer, partnerFee, payment })
    saveRequest(dataDirOf(cli, options), { ...saved, fillHash: relayed.transactionHash })
    const json = { fee: usd6ToNumber(relayed.fee), relayer: relayer.url, ...shown }
    printFill(cli, saved, { ...relayed, partnerFee, json })
    return
  }
  cli.out.note(
    way === undefined || way === 'approve' ? 'approving and filling' : `signing a payment (${way}) and filling`,
  )
  const { approval, usedPermit, payment, fill, signedBy } = await client.fillOrder({
    commitment,
    partnerFee,
    ...(way === undefined ? {} : { approval: way }),
    signal: cli.stop,
  })
  const { transactionHash, blockNumber } = fill
  saveRequest(dataDirOf(cli, options), { ...saved, fillHash: transactionHash })
  const json = { approvalHash: approval?.transactionHash ?? null, usedPermit, signer: signedBy.signer, ...shown }
  printFill(cli, saved, { transactionHash, blockNumber, payment, partnerFee, json, signedBy })
}

/** The same for a fill by a relayer. */
type Filled = {
  transactionHash: Hex
  blockNumber: bigint
  payment: PaymentMethod
  fee?: Usd6
  partnerFee: PartnerFee | null
  signedBy?: OrderSigner
  json: Readonly<Record<string, unknown>>
}

function printFill(
  cli: Cli,
  { request, commitment }: SavedRequest,
  { transactionHash, blockNumber, payment, fee, partnerFee, signedBy, json }: Filled,
): void {
  const order = commitment?.onchain?.order
  if (order === undefined) return
  const { optionAmount, premiumAmount, makerSelling } = order
  const isReducing = isReduceOnly(request.terms.trade)
  const options = optionsText(optionAmount, request.terms.option)
  const reduced = `${options} for ${usd(premiumAmount)}`
  const opened = makerSelling
    ? `you hold ${options} and paid ${usd(premiumAmount)}`
    : `you wrote ${options} and got ${usd(premiumAmount)}`
  const moved = !isReducing
    ? opened
    : makerSelling
      ? `you bought back ${reduced}, and got the collateral`
      : `you sold ${reduced}`
  const beside = makerSelling ? 'and' : 'less'
  const share = partnerFee === null ? null : partnerShare(premiumAmount, partnerFee)
  const fees = [
    fee === undefined ? '' : `, ${beside} ${usd(fee)} to the relayer`,
    share === null ? '' : `, ${beside} ${exactUsd(share)} to the partner`,
  ]
  cli.out.print(
    {
      type: 'fill',
      requestId: request.requestId,
      seriesId: order.seriesId,
      optionAmount: Number(optionAmount),
      premium: usd6ToNumber(premiumAmount),
      payment,
      ...json,
      fillHash: transactionHash,
      blockNumber: Number(blockNumber),
    },
    [
      `${cli.out.colors.green('filled')}: ${moved}${fees.join('')}`,
      ...(signedBy === undefined || signedBy.until === null
        ? []
        : [`signed by ${signedBy.signer}, a key that the maker ${order.maker} has authorised`]),
      `block ${blockNumber}, transaction ${transactionHash}`,
    ],
  )
}
