import { linkAbort } from '../../client/abort.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import type { Cli, Run } from '../cli.ts'
import { isSimulated } from '../context/clients.ts'
import { tableLines } from '../terminal/table.ts'
import type { ScenarioName } from './scenario-names.ts'
import { SCENARIOS } from './scenarios.ts'
import { openStage, type TriggerOptions } from './stage.ts'

/** Makes a scenario happen in a running sandbox, or lists what can happen. */
export const run: Run<TriggerOptions & { list?: boolean }, [name?: ScenarioName]> = async (cli, options, name) => {
  if (options.list === true) return list(cli)
  if (name === undefined) throw new CliError('no scenario given', { hint: 'rfqctl trigger --list' })
  const { needsChain = false, next, run: act } = SCENARIOS[name]
  if (needsChain && isSimulated(cli, options)) {
    throw new CliError(`${name} needs a chain`, {
      code: 'simulated',
      exitCode: EXIT.chain,
      hint: 'start the relay with a chain: rfqctl up',
    })
  }
  const link = linkAbort(cli.stop)
  const stage = await openStage(cli, options, link.signal)
  try {
    await act(stage)
    stage.narrator.tell('happened', { scenario: name }, cli.out.colors.green(`${name} ran as expected`))
    if (next !== undefined) cli.out.note(`Next: ${next}`)
  } finally {
    link.abort()
    await Promise.all(stage.players)
    link.release()
  }
}

function list({ out }: Cli): void {
  const rows = Object.entries(SCENARIOS).map(([name, { summary }]) => ({ name, summary }))
  const columns = [
    { heading: 'SCENARIO', cell: ({ name }: { name: string }) => name },
    { heading: 'WHAT HAPPENS', cell: ({ summary }: { summary: string }) => summary, overflow: 'wrap' as const },
  ]
  if (out.isJson) for (const row of rows) out.print({ type: 'scenario', ...row }, '')
  else out.print(null, tableLines(columns, rows, out))
}
