import type { OperatorClient } from '@rfqctl/client/index'
import { systemClock } from '@rfqctl/lib/clock'
import { preferReleaseBuilds, wantsSpeech } from '@rfqctl/relay/config/environment'
import { readSnapshot, throwIfLost } from '@rfqctl/web/dashboard/feed'
import { plainText } from '@rfqctl/web/dashboard/line'
import { VIEWS, type ViewName } from '@rfqctl/web/dashboard/state'
import { ASCII, type Theme, UNICODE, WORDS_ONLY } from '@rfqctl/web/dashboard/theme'
import type { Cli, Run } from '../cli.ts'
import { operatorClient, printFrames } from '../context/operator.ts'
import type { RelayOptions } from '../context/targets.ts'
import { enterAlternateScreen, requireTerminal } from '../terminal/alternate-screen.ts'
import { ansiText } from './terminal/fit.ts'
import { drawReport } from './terminal/screen.ts'

type DashboardOptions = RelayOptions & {
  web?: boolean
  once?: boolean
  view?: ViewName
  ascii?: boolean
  screenReader?: boolean
}

/** Columns of a report that is not on a terminal. */
const REPORT_COLUMNS = 118

export const run: Run<DashboardOptions> = async (cli, options) => {
  if (options.web === true) return (await import('./web.ts')).openDashboardPage(cli, options)
  const client = operatorClient(cli, options)
  if (cli.out.isJson)
    return options.once
      ? printSnapshotJson(cli, client)
      : printFrames(cli.out, client.watchFrames({ signal: cli.stop }))
  const theme = themeOf(cli, options)
  if (options.once) return printReport(cli, client, { theme, view: options.view ?? null })
  return showLive(cli, client, { theme, view: options.view ?? 'requests' })
}

function themeOf({ environment, program }: Cli, { ascii, screenReader }: DashboardOptions): Theme {
  if (screenReader || wantsSpeech(environment)) return { glyphs: WORDS_ONLY, medium: 'speech', program }
  return { glyphs: ascii ? ASCII : UNICODE, medium: 'screen', program }
}

async function showLive(
  cli: Cli,
  client: OperatorClient,
  { theme, view }: { theme: Theme; view: ViewName },
): Promise<void> {
  const terminal = requireTerminal(cli)
  preferReleaseBuilds()
  const { runDashboard } = await import('./terminal/run.tsx')
  const leave = theme.medium === 'screen' ? enterAlternateScreen(terminal.stdout) : () => {}
  try {
    const { out, stop: signal } = cli
    await runDashboard({ client, clock: systemClock, theme, view, terminal, isColorful: out.isColorful, signal })
  } finally {
    leave()
  }
}

async function printReport(
  { out, terminal, stop: signal }: Cli,
  client: OperatorClient,
  { theme, view }: { theme: Theme; view: ViewName | null },
): Promise<void> {
  const state = await readSnapshot({ client, clock: systemClock, signal })
  const columns = terminal?.stdout.columns ?? REPORT_COLUMNS
  const lines = drawReport(state, theme, columns, view === null ? VIEWS : [view])
  out.print(null, lines.map(out.isColorful ? ansiText : plainText))
}

/** Everything up to the end of the snapshot, as one document. */
async function printSnapshotJson({ out, stop: signal }: Cli, client: OperatorClient): Promise<void> {
  const document: Record<string, unknown> = { type: 'snapshot' }
  const lists: Record<string, unknown[]> = { requests: [], makers: [], series: [], trail: [] }
  for await (const { event, id, data } of client.watchFrames({ signal, onConnectionState: throwIfLost })) {
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
