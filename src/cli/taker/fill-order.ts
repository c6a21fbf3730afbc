import type { Fill, TakerClient } from '../../client/index.ts'
import { usd6ToNumber } from '../../domain/decimal.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import type { Cli } from '../cli.ts'
import { dataDirOf } from '../context/data-dir.ts'
import { type Note, saveNote } from '../context/notes.ts'
import type { RelayOptions } from '../context/where.ts'
import { optionWords } from '../show/show-trade.ts'
import { shortId, usd } from '../terminal/format.ts'

/** How a taker fills, as flags. */
export type FillOptions = { permit?: boolean }

/** Approves and fills the signed trade of a note, and shows what moved. */
export async function fillNote(
  cli: Cli,
  options: RelayOptions & FillOptions,
  { client, note }: { client: TakerClient; note: Note },
): Promise<void> {
  const { commitment } = note
  const { requestId } = note.request
  if (commitment === null) {
    throw new CliError(`request ${shortId(requestId)} is not committed`, {
      code: 'not_committed',
      exitCode: EXIT.refused,
      hint: `rfqctl taker commit ${shortId(requestId).replace('…', '')}`,
    })
  }
  if (note.fillHash !== null) {
    throw new CliError(`request ${shortId(requestId)} is already filled`, {
      code: 'already_filled',
      exitCode: EXIT.refused,
      why: [`in ${note.fillHash}`],
      hint: 'rfqctl taker positions',
    })
  }
  const approval = options.permit === true ? 'permit' : 'approve'
  cli.out.note(approval === 'permit' ? 'signing a permit and filling' : 'approving and filling')
  const fill = await client.fillOrder({ commitment, approval, signal: cli.stop })
  saveNote(dataDirOf(cli, options), { ...note, fillHash: fill.fill.transactionHash })
  printFill(cli, note, fill)
}

function printFill(cli: Cli, { request, commitment }: Note, { approval, usedPermit, fill }: Fill): void {
  const order = commitment?.onchain?.order
  if (order === undefined) return
  const { optionAmount, premiumAmount, makerSelling } = order
  const moved = makerSelling
    ? `you hold ${optionAmount} ${optionWords(request.terms.option)} and paid ${usd(premiumAmount)}`
    : `you wrote ${optionAmount} ${optionWords(request.terms.option)} and got ${usd(premiumAmount)}`
  cli.out.print(
    {
      type: 'fill',
      requestId: request.requestId,
      seriesId: order.seriesId,
      optionAmount: Number(optionAmount),
      premium: usd6ToNumber(premiumAmount),
      approvalHash: approval?.transactionHash ?? null,
      usedPermit,
      fillHash: fill.transactionHash,
      blockNumber: Number(fill.blockNumber),
    },
    [`${cli.out.paint.green('filled')}: ${moved}`, `block ${fill.blockNumber}, transaction ${fill.transactionHash}`],
  )
}
