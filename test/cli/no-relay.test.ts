import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run, temporaryDir } from './support.ts'

/** Nothing listens there: the port belongs to nobody. */
const NOWHERE = ['--url', 'http://127.0.0.1:2']

test.each([
  [['markets', 'list']],
  [['series', 'list']],
  [['series', 'get', '@1']],
  [['price', '@1']],
  [['taker', 'request', '@1', '--budget', '5']],
  [['settle', 'prepare']],
  [['faucet', `0x${'a'.repeat(40)}`]],
])('without a relay, %j says so with 7 and the way to one', async (argv) => {
  const { code, stdout, stderr } = await run([...argv, ...NOWHERE], { cwd: temporaryDir() })
  expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
  expect(stderr).toMatch(
    /^error: The relay at http:\/\/127\.0\.0\.1:2\S* cannot be reached: ECONNREFUSED\.\n {2}try: start a relay: rfqctl up\n$/,
  )
})

test.each([
  [['taker', 'positions']],
  [['taker', 'buy', '@1', '--budget', '5']],
  [['claim']],
  [['maker', 'status']],
  [['maker', 'simulate']],
  [['faucet']],
  [['taker', 'commit']],
])('without a sandbox, %j is not found and says what to do', async (argv) => {
  const { code, stdout, stderr } = await run(argv, { cwd: temporaryDir() })
  expect({ code, stdout }).toEqual({ code: 5, stdout: '' })
  expect(stderr).toMatch(/\n {2}try: .*rfqctl (up|taker request)/)
})

test('a sandbox that is not readable JSON is corrupt, and is left as it is', async () => {
  const cwd = temporaryDir()
  writeFileSync(join(cwd, 'sandbox.json'), '{')
  const { code, stderr } = await run(['taker', 'positions', '--data-dir', '.'], { cwd })
  expect(code).toBe(9)
  expect(stderr).toContain('sandbox.json is not readable JSON')
})

test('an invalid address is a usage error', async () => {
  expect((await run(['markets', 'list', '--url', 'ftp://a'], { cwd: temporaryDir() })).code).toBe(2)
  expect((await run(['faucet', '0x12', ...NOWHERE], { cwd: temporaryDir() })).code).toBe(2)
})

test.each([
  ['a chain that is not local', ['chain', 'warp', '1h', '--rpc', 'https://rpc.example']],
  ['a chain that is not there', ['chain', 'status', '--rpc', 'http://127.0.0.1:2']],
  ['a chain to deploy to that is not there', ['chain', 'deploy', '--rpc', 'http://127.0.0.1:2']],
])('%s is the chain that failed', async (_, argv) => {
  const { code, stdout } = await run(argv, { cwd: temporaryDir() })
  expect({ code, stdout }).toEqual({ code: 8, stdout: '' })
})

test('an interrupted command ends with 130 or 143 and prints nothing', async () => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const stop = AbortSignal.abort({ kind: 'signal', signal })
    expect(await run(['markets', 'list', ...NOWHERE], { cwd: temporaryDir(), stop })).toEqual({
      code,
      stdout: '',
      stderr: '',
    })
  }
})
