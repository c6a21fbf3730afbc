import { describe, expect, test } from 'vitest'
import type { Failure } from '../../../src/cli/errors/failure.ts'
import { createOutput } from '../../../src/cli/terminal/output.ts'

const FAILURE: Failure = {
  code: 'no_maker_confirmed',
  message: 'no maker confirmed in time',
  why: ['3 makers were asked, 10s each'],
  hint: 'rfqctl taker commit',
  exitCode: 6,
  data: { requestId: 'r1' },
}

function outputTo({ isJson = false, isTTY = false, isPiped = false, allowsColor = true } = {}) {
  const written = { stdout: '', stderr: '' }
  const sink = (name: 'stdout' | 'stderr') => ({
    isTTY: isTTY && !(isPiped && name === 'stdout'),
    write: (text: string) => {
      written[name] += text
    },
  })
  return { written, out: createOutput({ stdout: sink('stdout'), stderr: sink('stderr'), isJson, allowsColor }) }
}

describe('for people', () => {
  test('a result goes to stdout, talk and failures to stderr', () => {
    const { out, written } = outputTo()
    out.print({ a: 1 }, ['first', 'second'])
    out.note('thinking')
    out.advise({ type: 'warning' }, 'mind the gap')
    out.fail(FAILURE)
    expect(written.stdout).toBe('first\nsecond\n')
    expect(written.stderr).toBe(
      'thinking\nmind the gap\nerror: no maker confirmed in time\n  3 makers were asked, 10s each\n  try: rfqctl taker commit\n',
    )
  })

  test.each([
    ['a terminal', { isTTY: true }, true],
    ['a pipe', { isTTY: false }, false],
    ['a pipe, with talk on a terminal', { isTTY: true, isPiped: true }, false],
    ['a terminal where colour is forbidden', { isTTY: true, allowsColor: false }, false],
    ['a terminal with --json', { isTTY: true, isJson: true }, false],
  ])('on %s', (_, options, isColorful) => {
    expect(outputTo(options).out.colors.bold('x') !== 'x').toBe(isColorful)
  })
})

describe('for programs', () => {
  test('a result is one line of JSON, talk is left out, a failure is one object on stderr', () => {
    const { out, written } = outputTo({ isJson: true })
    out.print({ amount: 5n, text: 'two\nlines' }, 'not this')
    out.note('nor this')
    out.fail(FAILURE)
    expect(written.stdout).toBe('{"amount":"5","text":"two\\nlines"}\n')
    expect(JSON.parse(written.stderr)).toEqual({
      type: 'error',
      code: 'no_maker_confirmed',
      error: 'no maker confirmed in time',
      why: ['3 makers were asked, 10s each'],
      hint: 'rfqctl taker commit',
      exitCode: 6,
      requestId: 'r1',
    })
  })
})
