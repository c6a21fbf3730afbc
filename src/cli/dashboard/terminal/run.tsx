import { plainText } from '@rfqctl/web/dashboard/line'
import { createDashboardStore, type Pace, type ViewName } from '@rfqctl/web/dashboard/state'
import { render } from 'ink'
import { Dashboard, type DashboardProps, type Screen } from './Dashboard.tsx'
import { ansiText } from './fit.ts'

export type Terminal = { stdin: NodeJS.ReadStream; stdout: NodeJS.WriteStream }

/** Milliseconds; ten redraws a second at most: each costs Ink some milliseconds. */
const SCREEN_PACE: Pace = { relayMs: 200, keyMs: 100 }

/** Milliseconds; no more often than one can listen. */
const SPEECH_PACE: Pace = { relayMs: 5_000, keyMs: 100 }

/** Runs until the user quits or the signal is aborted. Rejects with the dashboard's own fault. */
export async function runDashboard(
  input: Pick<DashboardProps, 'client' | 'clock' | 'theme'> & {
    view: ViewName
    terminal: Terminal
    isColorful: boolean
    signal: AbortSignal
  },
): Promise<void> {
  const { client, clock, theme, view, isColorful, signal } = input
  const { stdin, stdout } = input.terminal
  const isSpoken = theme.medium === 'speech'
  const pace = isSpoken ? SPEECH_PACE : SCREEN_PACE
  const store = createDashboardStore({ view, clock, pace })
  const paint = isColorful ? ansiText : plainText
  const instance = render(
    <Dashboard store={store} client={client} clock={clock} theme={theme} paint={paint} screen={screenOf(stdout)} />,
    { stdin, stdout: heightless(stdout), exitOnCtrlC: false, patchConsole: false, isScreenReaderEnabled: isSpoken },
  )
  const stop = () => instance.unmount()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    await instance.waitUntilExit()
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

const screenOf = (stdout: NodeJS.WriteStream): Screen => ({
  size: () => ({ columns: stdout.columns, rows: stdout.rows }),
  onResize: (listener) => {
    stdout.on('resize', listener)
    return () => stdout.off('resize', listener)
  },
  // OSC 52: terminals without it ignore it.
  copy: (text) => void stdout.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`),
})

/**
 * Hides the height of the terminal. Ink clears the whole terminal, with its scrollback, when a frame is as high as the
 * terminal, which happens for a moment when the terminal shrinks.
 */
const heightless = (stdout: NodeJS.WriteStream): NodeJS.WriteStream =>
  ({
    isTTY: true,
    rows: Number.POSITIVE_INFINITY,
    get columns() {
      return stdout.columns
    },
    write: (...args: Parameters<NodeJS.WriteStream['write']>) => stdout.write(...args),
    on: (name: string, listener: () => void) => stdout.on(name, listener),
    off: (name: string, listener: () => void) => stdout.off(name, listener),
  }) as unknown as NodeJS.WriteStream
