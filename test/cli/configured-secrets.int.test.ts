import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

const environment = {
  MAKER_API_KEYS: '[{"apiKey":"CANARY-short","makerId":"alpha"}]',
  MAKER_API_KEY: 'CANARY-legacy-key-of-default',
  OPERATOR_TOKEN: 'CANARY-operator-token',
}

describe('a value that an operator configured', () => {
  test('is not kept in the sandbox, and opens what it opened wherever it is configured too', async () => {
    const cwd = temporaryDir()
    await serveFrom(cwd, { environment })
    expect(readFileSync(join(cwd, '.rfqctl', 'sandbox.json'), 'utf8')).not.toContain('CANARY')
    const status = ['maker', 'status', '--json']
    const codes = async (more: { environment?: Record<string, string> }) => [
      (await run([...status, '--account', 'maker-1'], { cwd, ...more })).code,
      (await run([...status, '--account', 'maker-2'], { cwd, ...more })).code,
      (await run([...status, '--account', 'maker-3'], { cwd, ...more })).code,
      (await run(['maker', 'simulate', '--count', '2', '--for', '10ms'], { cwd, ...more })).code,
      (await run(['dashboard', '--once'], { cwd, ...more })).code,
      (await run(['login', '--dev', 'ada'], { cwd, ...more })).code,
    ]
    expect(await codes({})).toEqual([4, 4, 4, 5, 4, 4])
    expect(await codes({ environment })).toEqual([0, 0, 4, 0, 0, 0])
  })

  test('and deserves a warning reaches programs as JSON on stderr, without the secret', async () => {
    const { stderr } = await serveFrom(temporaryDir(), { environment })
    expect(stderr()).not.toContain('CANARY')
    expect(
      stderr()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([{ type: 'warning', warning: 'maker key 1 is short enough to be guessed' }])
  })
})
