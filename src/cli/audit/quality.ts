import { createLogClient, type QualityCredential, RelayError } from '@rfqctl/client/index'
import { CliError } from '@rfqctl/lib/cli-error'
import { gain, latency } from '@rfqctl/lib/format'
import { createQuality, type MakerQuality } from '@rfqctl/protocol/domain/quality'
import { safeText } from '@rfqctl/protocol/domain/safe-text'
import { encodeMakerQuality } from '@rfqctl/protocol/wire/quality'
import type { Cli, Run } from '../cli.ts'
import { knownOperatorToken } from '../context/operator.ts'
import { type RelayOptions, relayUrl } from '../context/targets.ts'
import { type Column, tableLines } from '../terminal/table.ts'
import { noLog } from './no-log.ts'
import { keyOf, noteKey, verifyFile } from './verify.ts'

type Options = RelayOptions & { month?: string; logKey?: string }

/** A row: a maker by the files, or as the relay shows it. */
type Row = Omit<MakerQuality, 'pseudonym'> & { pseudonym: string | null }

/** Quality of makers: by transcripts, each of which is verified first, or, without any, as the relay adds it up. */
export const run: Run<Options, [files: string[]]> = async (cli, options, files) => {
  if (files.length === 0) await showReport(cli, options)
  else showFiles(cli, options, files)
}

async function showReport(cli: Cli, options: Options): Promise<void> {
  const { month } = options
  const credential = credentialOf(cli, options)
  const report = await createLogClient({ url: relayUrl(cli, options) })
    .getQuality({ ...(month && { month }), ...(credential && { credential }), signal: cli.stop })
    .catch((fault: unknown) => {
      throw fault instanceof RelayError && fault.code === 'not_found' ? noLog(fault) : fault
    })
  show(cli, report.month, report.makers)
  cli.out.note(`by the leaves ${report.from} to ${report.to} of the log`)
}

function showFiles(cli: Cli, { month, logKey }: Options, files: readonly string[]): void {
  const trusted = logKey === undefined ? [] : [keyOf(logKey)]
  const quality = createQuality()
  const fileOf = new Map<string, string>()
  for (const file of files) {
    const { transcript, verified } = verifyFile(cli, file, trusted)
    const other = fileOf.get(transcript.requestId)
    if (other !== undefined)
      throw new CliError(`${safeText(file)} is of the same request as ${safeText(other)}`, {
        hint: 'give one file of each request: each entry counts once',
      })
    fileOf.set(transcript.requestId, file)
    for (const entry of verified.entries) quality.add(entry)
  }
  for (const one of month === undefined ? quality.months() : [month])
    show(
      cli,
      one,
      quality.ofMonth(one).map(({ makerId, quality }) => ({ pseudonym: null, makerId, ...quality })),
    )
  noteKey(cli, trusted)
}

function credentialOf(cli: Cli, options: Options): QualityCredential | null {
  const apiKey = cli.environment.RFQCTL_API_KEY
  if (apiKey !== undefined) return { apiKey }
  const operatorToken = knownOperatorToken(cli, options)
  return operatorToken === null ? null : { operatorToken }
}

function show(cli: Cli, month: string, makers: readonly Row[]): void {
  cli.out.print(
    { type: 'quality', month, makers: makers.map(encodeMakerQuality) },
    makers.length === 0 ? `${month}: no maker` : [month, ...tableLines(COLUMNS, makers, cli.out)],
  )
}

const right = { align: 'right' } as const

const COLUMNS: readonly Column<Row>[] = [
  { heading: 'maker', cell: ({ makerId, pseudonym }) => safeText(makerId ?? pseudonym ?? '') },
  { heading: 'requests', cell: ({ requests }) => String(requests), ...right },
  { heading: 'answers', cell: ({ response }) => latency(response.p50Ms), ...right },
  { heading: 'p95', cell: ({ response }) => latency(response.p95Ms), ...right },
  { heading: 'asked', cell: ({ asked }) => String(asked), ...right },
  { heading: 'signed', cell: ({ signed }) => String(signed), ...right },
  { heading: 'declined', cell: ({ declined }) => String(declined), ...right },
  { heading: 'missed', cell: ({ missed }) => String(missed), ...right },
  { heading: 'held', cell: ({ held }) => latency(held.p50Ms), ...right },
  { heading: 'p95', cell: ({ held }) => latency(held.p95Ms), ...right },
  { heading: 'filled', cell: ({ filled }) => String(filled), ...right },
  { heading: 'better by', cell: ({ improvement }) => gain(improvement.amount), ...right },
]
