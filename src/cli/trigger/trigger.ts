import { linkAbort } from '@rfqctl/lib/abort'
import { CliError } from '@rfqctl/lib/cli-error'
import { requireSandbox } from '@rfqctl/relay/app/sandbox-file'
import type { FaultContext, FaultScenario } from '@rfqctl/sandbox/scenarios/faults/fault'
import { FAULTS, type FaultName } from '@rfqctl/sandbox/scenarios/faults/faults'
import { freeMakers } from '@rfqctl/sandbox/scenarios/traders'
import type { Cli, Run } from '../cli.ts'
import { type AccountOptions, openAccount } from '../context/account.ts'
import { chainSetup, isSimulated, signingChain, takerClient, walletClient } from '../context/clients.ts'
import { knownOperatorToken } from '../context/operator.ts'
import { findSavedRequest, saveRequest } from '../context/saved-requests.ts'
import { type ChainOptions, dataDirOf, type RelayOptions, relayUrl, withConfiguredKeys } from '../context/targets.ts'
import { listSeriesRows, seriesText } from '../show/series-listing.ts'
import { openRequest, seriesNamed } from '../taker/request.ts'
import { createReporter } from '../terminal/reporter.ts'
import { tableLines } from '../terminal/table.ts'

type Options = RelayOptions & ChainOptions & AccountOptions & { list?: boolean }

/** Without a name, lists the faults. */
export const run: Run<Options, [name?: FaultName]> = async (cli, options, name) => {
  if (options.list === true) return list(cli)
  if (name === undefined) throw new CliError('no scenario given', { hint: 'rfqctl trigger --list' })
  const { needsChain = false, next, run: runScenario }: FaultScenario = FAULTS[name]
  if (needsChain && isSimulated(cli, options)) {
    throw new CliError(`${name} needs a chain`, { code: 'simulated', hint: 'start the relay with a chain: rfqctl up' })
  }
  const link = linkAbort(cli.stop)
  const context = await openContext(cli, options, link.signal)
  try {
    await runScenario(context)
    context.reporter.event('happened', { scenario: name }, cli.out.colors.green(`${name} ran as expected`))
    if (next !== undefined) cli.out.note(`Next: ${next}`)
  } finally {
    link.abort()
    await Promise.all(context.running)
    link.release()
  }
}

async function openContext(cli: Cli, options: Options, signal: AbortSignal): Promise<FaultContext> {
  const dataDir = dataDirOf(cli, options)
  const sandbox = withConfiguredKeys(cli, requireSandbox(dataDir))
  const url = relayUrl(cli, options)
  const operatorToken = knownOperatorToken(cli, options)
  const makers = await freeMakers(sandbox, { url, token: operatorToken, signal })
  const { account } = await openAccount(cli, options)
  const isSimulation = isSimulated(cli, options)
  const { client: taker } = isSimulation ? await takerClient(cli, options) : await walletClient(cli, options)
  const chain = isSimulation
    ? await signingChain(cli, options, account.address)
    : await chainSetup(cli, options, account.address)
  return {
    url,
    chain,
    makers,
    taker,
    dataDir,
    operatorToken,
    isSimulated: isSimulation,
    signal,
    reporter: createReporter(cli.out),
    running: [],
    openRegistrar: async () => (await openAccount(cli, { ...options, account: 'registrar' })).account,
    listOpenSeries: async () => {
      const { rows, now } = await listSeriesRows(cli, options, taker)
      const open = rows.filter(({ state }) => state === 'open')
      return { now, rows: open.map((row) => ({ ...row, text: seriesText(row) })) }
    },
    openRequest: async (series, trade) =>
      (await openRequest(cli, options, { client: taker, choose: seriesNamed(series), trade })).request,
    keepCommitment: ({ requestId }, commitment) =>
      saveRequest(dataDir, { ...findSavedRequest(cli, options, requestId), commitment }),
  }
}

function list({ out }: Cli): void {
  const rows = Object.entries(FAULTS).map(([name, { summary }]) => ({ name, summary }))
  const columns = [
    { heading: 'SCENARIO', cell: ({ name }: { name: string }) => name },
    { heading: 'WHAT HAPPENS', cell: ({ summary }: { summary: string }) => summary, overflow: 'wrap' as const },
  ]
  if (out.isJson) for (const row of rows) out.print({ type: 'scenario', ...row }, '')
  else out.print(null, tableLines(columns, rows, out))
}
