import { type Commitment, contracts, type TakerClient, type Usd6 } from '../../client/index.ts'
import type { Cli } from '../cli.ts'
import { dataDirOf } from '../context/data-dir.ts'
import { type SavedRequest, saveRequest } from '../context/saved-requests.ts'
import type { RelayOptions } from '../context/targets.ts'
import { commitmentJson, commitmentLines } from '../show/show-trade.ts'
import { duration } from '../terminal/format.ts'
import { chooseQuote } from './choose-quote.ts'

/** What a taker insists on, as flags. */
export type ProtectionOptions = { limit?: Usd6; min?: number; expect?: string }

/** Commits to the best quote, shows the signed trade and keeps it for `taker fill`. */
export async function commitSavedRequest(
  cli: Cli,
  options: RelayOptions & ProtectionOptions,
  { client, saved }: { client: TakerClient; saved: SavedRequest },
): Promise<SavedRequest & { commitment: Commitment }> {
  const startedAt = Date.now()
  const shown = await chooseQuote(cli, { client, request: saved.request })
  cli.out.note('asking the best maker to sign')
  const commitment = await client.commitToBestQuote({
    request: saved.request,
    signal: cli.stop,
    ...(shown === null ? {} : { shown }),
    ...(options.limit === undefined ? {} : { limitPrice: options.limit }),
    ...(options.min === undefined ? {} : { minContracts: contracts(BigInt(options.min)) }),
    ...(options.expect === undefined ? {} : { expectedQuoteId: options.expect }),
  })
  const committed = { ...saved, commitment }
  saveRequest(dataDirOf(cli, options), committed)
  const tookMs = Date.now() - startedAt
  const [head = '', ...rest] = commitmentLines(commitment, cli.out.colors)
  cli.out.print({ ...commitmentJson(commitment), tookMs }, [`${head} in ${duration(tookMs)}`, ...rest])
  return committed
}
