import { expect, test } from 'vitest'
import { createOutput } from '../../src/cli/terminal/output.ts'
import { run, temporaryDir } from './support.ts'

/** An output whose streams are kept, on a terminal or not. */
function outputOf() {
  const said = { stdout: '', stderr: '', log: [] as unknown[][] }
  const sink = (name: 'stdout' | 'stderr') => ({
    isTTY: true,
    write: (text: string) => {
      said[name] += text
    },
  })
  const out = createOutput({ stdout: sink('stdout'), stderr: sink('stderr'), isJson: false, allowsColor: true })
  const log = {
    warn: (...line: unknown[]) => void said.log.push(['warn', ...line]),
    error: (...line: unknown[]) => void said.log.push(['error', ...line]),
  }
  return { out, log, said }
}

test('a service says what must be known to its log, without colour, and nothing else', () => {
  const { out, log, said } = outputOf()
  out.turnIntoService(() => log)
  out.print({ type: 'ready' }, 'is ready')
  out.note('Next: something')
  out.advise({ type: 'warning' }, `${out.colors.yellow('warning:')} mind the gap`)
  out.fail({ code: 'in_use', message: 'no', why: ['port 1'], hint: 'port 2', exitCode: 10, data: {} })
  expect(said).toEqual({
    stdout: '',
    stderr: '',
    log: [
      ['warn', 'advice', { reason: 'mind the gap' }],
      ['error', 'failed', { code: 'in_use', reason: 'no; port 1', hint: 'port 2' }],
    ],
  })
})

test('a command that is no service speaks to people, whatever the environment is', async () => {
  const { stdout } = await run(['config', 'view'], { cwd: temporaryDir(), environment: { NODE_ENV: 'production' } })
  expect(stdout).toContain('LOG_LEVEL')
})
