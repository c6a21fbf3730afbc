import { execFileSync, spawnSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** Whether this machine has a terminal to test in. */
export const hasTmux = spawnSync('tmux', ['-V']).status === 0

/** A shell on a real terminal that a test types into and reads from. It ends with its test. */
export type Terminal = {
  /** Presses keys by their tmux names, `Enter` and `Escape` for instance; other words are typed as they are. */
  press: (...keys: string[]) => void
  enter: (text: string) => void
  screen: () => string
  /** Waits until the screen contains a text, or all of some texts; resolves with the screen, rejects with it in time. */
  shows: (...texts: (string | RegExp)[]) => Promise<string>
  resize: (columns: number, rows: number) => void
  /** A variable of the pane, `alternate_on` for instance. @see tmux(1), FORMATS */
  format: (name: string) => string
}

/** Far more than anything takes: a screen that does not show something by then never will. */
const SHOWN_WITHIN_MS = 30_000

let count = 0

/** Opens a shell without a prompt of its own making, in an environment that holds nothing but what is given. */
export function openTerminal({
  columns,
  rows,
  cwd,
  environment = {},
}: {
  columns: number
  rows: number
  cwd: string
  environment?: Readonly<Record<string, string>>
}): Terminal {
  count += 1
  const socket = `rfqctl-test-${process.pid}-${count}`
  const tmux = (...args: string[]): string => execFileSync('tmux', ['-L', socket, ...args], { encoding: 'utf8' })
  const { PATH = '', HOME = '' } = process.env
  const variables = { PATH, HOME, LANG: 'C.UTF-8', TERM: 'screen-256color', PS1: '$ ', ...environment }
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
  const size = ['-x', String(columns), '-y', String(rows)]
  tmux('-u', '-f', '/dev/null', 'new-session', '-d', ...size, '-c', cwd, 'env', '-i', ...assignments, 'sh')
  onTestFinished(() => void spawnSync('tmux', ['-L', socket, 'kill-server']))

  const screen = () => tmux('capture-pane', '-p')
  const press = (...keys: string[]) => void tmux('send-keys', ...keys)
  return {
    press,
    enter: (text) => {
      tmux('send-keys', '-l', text)
      press('Enter')
    },
    screen,
    shows: async (...texts) => {
      const isThere = (text: string | RegExp, shown: string) =>
        typeof text === 'string' ? shown.includes(text) : text.test(shown)
      for (const limit = Date.now() + SHOWN_WITHIN_MS; ; await delay(50)) {
        const shown = screen()
        const missing = texts.filter((text) => !isThere(text, shown))
        if (missing.length === 0) return shown
        if (Date.now() > limit) throw new Error(`the screen does not show ${missing.join(', nor ')}:\n${shown}`)
      }
    },
    resize: (width, height) => void tmux('resize-window', '-x', String(width), '-y', String(height)),
    format: (name) => tmux('display-message', '-p', `#{${name}}`).trim(),
  }
}
