import { systemClock } from '../../client/clock.ts'
import type { OperatorClient } from '../../client/index.ts'
import { preferReleaseBuilds, wantsSpeech } from '../../config/environment.ts'
import { ansiText, plainText } from '../../dashboard/line.ts'
import { ASCII, type Look, UNICODE, WORDS_ONLY } from '../../dashboard/look.ts'
import { readSnapshot, throwIfLost } from '../../dashboard/once.ts'
import { drawReport } from '../../dashboard/screen.ts'
import { VIEWS, type ViewName } from '../../dashboard/state.ts'
import type { Cli, Run } from '../cli.ts'
import { operatorClient, printFrames } from '../context/operator.ts'
import type { RelayOptions } from '../context/targets.ts'
import { enterAlternateScreen, requireTerminal } from '../terminal/alternate-screen.ts'

type DashboardOptions = RelayOptions & {
  once?: boolean
  view?: ViewName
  ascii?: boolean
  screenReader?: boolean
}

/** Columns of a report that no terminal shows. */
const REPORT_COLUMNS = 118

/** Shows the operator's feed: live in a terminal, once as text, or as JSON for programs. */
export const run: Run<DashboardOptions> = async (cli, options) => {
  const client = operatorClient(cli, options)
  if (cli.out.isJson)
    return options.once
      ? printSnapshotJson(cli, client)
      : printFrames(cli.out, client.watchFrames({ signal: cli.stop }))
  const look = lookOf(cli, options)
  if (options.once) return printReport(cli, client, { look, view: options.view ?? null })
  return showLive(cli, client, { look, view: options.view ?? 'requests' })
}

function lookOf({ environment, program }: Cli, { ascii, screenReader }: DashboardOptions): Look {
  if (screenReader || wantsSpeech(environment)) return { glyphs: WORDS_ONLY, medium: 'speech', program }
  return { glyphs: ascii ? ASCII : UNICODE, medium: 'screen', program }
}

async function showLive(
  cli: Cli,
  client: OperatorClient,
  { look, view }: { look: Look; view: ViewName },
): Promise<void> {
  const terminal = requireTerminal(cli)
  preferReleaseBuilds()
  const { runDashboard } = await import('../../dashboard/run.tsx')
  const leave = look.medium === 'screen' ? enterAlternateScreen(terminal.stdout) : () => {}
  try {
    const { out, stop: signal } = cli
    await runDashboard({ client, clock: systemClock, look, view, terminal, isColorful: out.isColorful, signal })
  } finally {
    leave()
  }
}

async function printReport(
  { out, terminal, stop: signal }: Cli,
  client: OperatorClient,
  { look, view }: { look: Look; view: ViewName | null },
): Promise<void> {
  const state = await readSnapshot({ client, clock: systemClock, signal })
  const columns = terminal?.stdout.columns ?? REPORT_COLUMNS
  const lines = drawReport(state, look, columns, view === null ? VIEWS : [view])
  out.print(null, lines.map(out.isColorful ? ansiText : plainText))
}

/** One document: what stands under each name, and the newest of the audit log. */
async function printSnapshotJson({ out, stop: signal }: Cli, client: OperatorClient): Promise<void> {
  const document: Record<string, unknown> = { type: 'snapshot' }
  const lists: Record<string, unknown[]> = { requests: [], makers: [], series: [], trail: [] }
  for await (const { event, id, data } of client.watchFrames({ signal, onLink: throwIfLost })) {
    if (event === 'snapshot_complete') break
    if (event === 'connected' || event === 'snapshot_begin') Object.assign(document, data)
    else if (event === 'request') lists.requests?.push(data)
    else if (event === 'maker') lists.makers?.push(data)
    else if (event === 'series') lists.series?.push(data)
    else if (event === 'health') document.health = data
    else lists.trail?.push({ id: Number(id), ...(data as object) })
  }
  out.print({ ...document, ...lists }, '')
}
