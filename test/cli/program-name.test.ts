import { describe, expect, it } from 'vitest'
import { drawConnecting } from '../../src/cli/dashboard/terminal/panels/connecting.ts'
import { FIRST_WORDS, programName, withDataDir, withProgramName } from '../../src/cli/program-name.ts'
import { runCli } from '../../src/cli/run-cli.ts'
import { plainText } from '../../src/web/dashboard/line.ts'
import { initialState } from '../../src/web/dashboard/state.ts'
import { UNICODE } from '../../src/web/dashboard/theme.ts'
import { commandTree } from './help-texts.ts'
import { NOWHERE } from './support.ts'

const on = { PATH: '/usr/bin:/usr/local/bin' }
const called = (script: string, environment = {}) => programName({ script, cwd: '/home/ada/rfqctl', environment })

describe('the form in which the program was called', () => {
  it('is its plain name where it is on the path', () => {
    expect(called('/usr/local/bin/rfqctl', on)).toBe('rfqctl')
  })

  it('is npx where npm started it', () => {
    const environment = { ...on, npm_command: 'exec' }
    expect(called('/home/ada/.npm/_npx/1/node_modules/.bin/rfqctl', environment)).toBe('npx rfqctl')
  })

  it('is its file as it is reached from here otherwise', () => {
    expect(called('/home/ada/rfqctl/bin/rfqctl.js', on)).toBe('node bin/rfqctl.js')
    expect(called('/home/ada/my market/bin/rfqctl.js', on)).toBe(`node '../my market/bin/rfqctl.js'`)
    expect(called('/opt/rfqctl', on)).toBe('/opt/rfqctl')
  })

  it('goes with the data directory of the call', () => {
    expect(withDataDir('rfqctl', ['--data-dir', '/tmp/a', 'up'])).toBe('rfqctl --data-dir /tmp/a')
    expect(withDataDir('rfqctl', ['up', `--data-dir=it's`])).toBe(`rfqctl --data-dir 'it'\\''s'`)
    expect(withDataDir('rfqctl', ['up', '--data-dir'])).toBe('rfqctl')
    expect(withDataDir('rfqctl', ['up'])).toBe('rfqctl')
  })
})

describe('a text for people', () => {
  const shown = (text: string) => withProgramName('npx rfqctl', text)

  it('has each of its command lines in that form', () => {
    expect(shown('Next: rfqctl taker watch, rfqctl taker commit')).toBe(
      'Next: npx rfqctl taker watch, npx rfqctl taker commit',
    )
    expect(shown('source <(rfqctl completion bash); "rfqctl --help"')).toBe(
      'source <(npx rfqctl completion bash); "npx rfqctl --help"',
    )
  })

  it('keeps what only speaks of the program', () => {
    const plain = 'rfqctl is ready; this is a bug in rfqctl: .rfqctl up, npx rfqctl up, update rfqctl upon'
    expect(shown(plain)).toBe(plain)
  })

  it('is looked through for every command that there is', () => {
    const names = commandTree().commands.map((command) => command.name())
    expect(names.filter((name) => name !== 'help').toSorted()).toEqual([...FIRST_WORDS].toSorted())
  })
})

describe('a command line that was called through npx', () => {
  async function through(...argv: string[]) {
    const written = { stdout: '', stderr: '' }
    const sink = (name: 'stdout' | 'stderr') => ({
      write: (text: string) => {
        written[name] += text
      },
    })
    await runCli(argv, {
      program: 'npx rfqctl',
      stdout: sink('stdout'),
      stderr: sink('stderr'),
      environment: {},
      cwd: '/nonexistent',
      stop: new AbortController().signal,
      defaults: NOWHERE,
      readStdin: async () => '',
    })
    return written
  }

  it('hints, welcomes and helps in that form', async () => {
    expect((await through('markets', 'list')).stderr).toMatch(/try: .*npx rfqctl up/)
    expect((await through()).stdout).toContain('$ npx rfqctl demo ')
    const { stdout } = await through('taker', 'buy', '--help')
    expect(stdout).toContain('Usage: npx rfqctl taker buy')
    expect(stdout).toContain('$ npx rfqctl taker buy @1')
  })

  it('hints with the data directory that it was given', async () => {
    expect((await through('--data-dir', '/nonexistent/x', 'markets', 'list')).stderr).toContain(
      'npx rfqctl --data-dir /nonexistent/x up',
    )
  })

  it('tells programs what never depends on it', async () => {
    const { stderr } = await through('markets', 'list', '--json')
    expect(JSON.parse(stderr).hint).toMatch(/: rfqctl up$/)
  })

  it('prints the completion of a shell as it is: shells complete what is on the path', async () => {
    expect((await through('completion', 'fish')).stdout).toContain("'(rfqctl completion fish --line")
  })
})

it('the dashboard shows command lines in that form', () => {
  const state = initialState(0, 'requests')
  const waiting = { ...state, link: { kind: 'connecting' as const, reason: 'refused', attempts: 2, retryAt: null } }
  const theme = { glyphs: UNICODE, medium: 'screen' as const, program: 'npx rfqctl --data-dir x' }
  const text = drawConnecting(waiting, theme, { width: 100, height: 20 }).map(plainText).join('\n')
  expect(text).toContain('  npx rfqctl --data-dir x up')
})
