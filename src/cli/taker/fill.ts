import type { Fill, TakerClient } from '../../client/index.ts'
import { usd6ToNumber } from '../../domain/decimal.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import { optionsText, shortId, usd } from '../../lib/format.ts'
import type { Cli, Run } from '../cli.ts'
import { DEFAULT_TAKER, type SameAccountOptions } from '../context/account.ts'
import { walletClient } from '../context/clients.ts'
import { findSavedRequest, type SavedRequest, saveRequest } from '../context/saved-requests.ts'
import { type ChainOptions, dataDirOf, type RelayOptions } from '../context/targets.ts'

/** Approves and fills a trade that was committed before. */
export const fill: Run<RelayOptions & ChainOptions & SameAccountOptions & FillOptions, [request?: string]> = async (
  cli,
  typed,
  text,
) => {
  const saved = findSavedRequest(dataDirOf(cli, typed), text)
  const options = { ...typed, account: typed.account ?? saved.account ?? DEFAULT_TAKER }
  const { client } = await walletClient(cli, options)
  await fillSavedRequest(cli, options, { client, saved })
  cli.out.note('Next: rfqctl taker positions')
}

/** How a taker fills, as flags. */
export type FillOptions = { permit?: boolean }

/** Approves and fills the signed trade of a saved request, and shows what moved. */
export async function fillSavedRequest(
  cli: Cli,
  options: RelayOptions & FillOptions,
  { client, saved }: { client: TakerClient; saved: SavedRequest },
): Promise<void> {
  const { commitment } = saved
  const { requestId } = saved.request
  if (commitment === null) {
    throw new CliError(`request ${shortId(requestId)} is not committed`, {
      code: 'not_committed',
      exitCode: EXIT.refused,
      hint: `rfqctl taker commit ${shortId(requestId).replace('…', '')}`,
    })
  }
  if (saved.fillHash !== null) {
    throw new CliError(`request ${shortId(requestId)} is already filled`, {
      code: 'already_filled',
      exitCode: EXIT.refused,
      why: [`in ${saved.fillHash}`],
      hint: 'rfqctl taker positions',
    })
  }
  const approval = options.permit === true ? 'permit' : 'approve'
  cli.out.note(approval === 'permit' ? 'signing a permit and filling' : 'approving and filling')
  const fill = await client.fillOrder({ commitment, approval, signal: cli.stop })
  saveRequest(dataDirOf(cli, options), { ...saved, fillHash: fill.fill.transactionHash })
  printFill(cli, saved, fill)
}

function printFill(
  cli: Cli,
  { request, commitment }: SavedRequest,
  { approval, usedPermit, fill, signedBy: { signer, until } }: Fill,
): void {
  const order = commitment?.onchain?.order
  if (order === undefined) return
  const { optionAmount, premiumAmount, makerSelling } = order
  const isReducing = request.terms.trade.reduceOnly === true
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
  cli.out.print(
    {
      type: 'fill',
      requestId: request.requestId,
      seriesId: order.seriesId,
      optionAmount: Number(optionAmount),
      premium: usd6ToNumber(premiumAmount),
      approvalHash: approval?.transactionHash ?? null,
      usedPermit,
      signer,
      fillHash: fill.transactionHash,
      blockNumber: Number(fill.blockNumber),
    },
    [
      `${cli.out.colors.green('filled')}: ${moved}`,
      ...(until === null ? [] : [`signed by ${signer}, a key that the maker ${order.maker} has authorised`]),
      `block ${fill.blockNumber}, transaction ${fill.transactionHash}`,
    ],
  )
}
