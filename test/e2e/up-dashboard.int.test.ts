import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { run, temporaryDir } from '../cli/support.ts'
import { buildWhenStale, ROOT } from '../kit/build.ts'
import { hasTmux, openTerminal } from '../support/tmux.ts'

beforeAll(buildWhenStale)

describe.skipIf(!hasTmux)('rfqctl up --dashboard', () => {
  test('shows the market that it started, and ends it when the dashboard is quit', async () => {
    const terminal = openTerminal({ columns: 120, rows: 40, cwd: temporaryDir() })
    terminal.enter(`${process.execPath} ${join(ROOT, 'bin', 'rfqctl.js')} up --port 0 --dashboard; echo "exit $?"`)
    await terminal.shows('1 Requests')
    expect(terminal.format('alternate_on')).toBe('1')
    terminal.press('2')
    await terminal.shows('maker-1', 'maker-2', 'maker-3')
    terminal.press('q')
    const screen = await terminal.shows('shutting down', 'exit 0')
    expect(terminal.format('alternate_on')).toBe('0')
    expect(screen).toContain('rfqctl is ready')
  })
})

test('rfqctl up --dashboard starts nothing where there is no terminal', async () => {
  const { code, stdout, stderr } = await run(['up', '--port', '0', '--dashboard'], { cwd: temporaryDir() })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('the dashboard needs a terminal')
})
