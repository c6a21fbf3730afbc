import { describe, expect, test } from 'vitest'
import { run } from './support.ts'

test('asked nothing, it says in a screen what it is and where to start', async () => {
  const { code, stdout, stderr } = await run([])
  expect(code).toBe(0)
  expect(stderr).toBe('')
  expect(stdout).toMatchSnapshot()
})

test('an unknown command is a usage error that suggests the nearest one', async () => {
  const { code, stdout, stderr } = await run(['srve'])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toBe("error: unknown command 'srve'\n  try: did you mean serve?\n")
})

test('an unknown subcommand and an unknown option suggest too', async () => {
  expect((await run(['taker', 'comit'])).stderr).toContain('did you mean commit?')
  expect((await run(['taker', 'request', '@1', '--buget', '5'])).stderr).toContain('did you mean --budget?')
})

test('a usage error in JSON is one object on stderr', async () => {
  const { code, stdout, stderr } = await run(['srve', '--json'])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(JSON.parse(stderr)).toMatchObject({ type: 'error', code: 'usage', exitCode: 2 })
})

test('a misused command points to its own help', async () => {
  expect((await run(['taker', 'sell', '@1'])).stderr).toContain('try: rfqctl taker sell --help')
})

test.each([
  [['taker', 'buy', '@1', '--budget', '-5']],
  [['taker', 'buy', '@1', '--budget', '1e3']],
  [['taker', 'buy', '@1', '--budget', '0']],
  [['taker', 'sell', '@1', '--size', '1.5']],
  [['taker', 'buy', '@1']],
  [['taker', 'request']],
  [['taker', 'request', '@1', '--budget', '1', '--size', '1']],
  [['chain', 'warp', 'tomorrow']],
  [['chain', 'warp', '0s']],
  [['series', 'create', '@1', '--type', 'call', '--strike-bps', '10000', '--expires-in', '1h']],
  [['series', 'list', '--type', 'straddle']],
  [['serve', 'now']],
  [['taker']],
])('%j is a usage error', async (argv) => {
  const { code, stdout, stderr } = await run(argv)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).not.toBe('')
})

test.each([
  ['taker buy', 'error: missing <series> and --budget <usd>\n  try: rfqctl taker buy --help\n'],
  ['taker buy --bugdet 10', "error: unknown option '--bugdet'\n  try: did you mean --budget?\n"],
  ['taker buy @1 --price 10', "error: unknown option '--price'\n  try: --budget <usd> is required\n"],
  ['taker buy @1 --budget 0.0000001', 'Expected dollars from 0.000001 to 1000000000, such as 100 or 0.25.'],
  ['taker buy @1 --budget 1e9', 'Expected dollars from 0.000001 to 1000000000, such as 100 or 0.25.'],
  ['taker buy @1 --budget 1000000000.000001', 'Expected dollars from 0.000001 to 1000000000, such as 100 or 0.25.'],
  ['taker buy @1 --budget 10 --limit 2', 'Expected dollars per option from 0.000001 to 1, such as 0.25.'],
  ['taker commit --limit 1.000001', 'Expected dollars per option from 0.000001 to 1, such as 0.25.'],
  [
    'taker sell @1 --size 5 --min 6',
    'error: --min 6 is more than the 5 options that are asked for\n  try: pass --min 5 or less\n',
  ],
  ['taker spread @1 @3 --size 5 --min 6', 'error: --min 6 is more than the 5 options that are asked for\n'],
  [
    'chain warp -1h',
    'error: -1h is below zero\n  the time of a chain does not go back\n  try: rfqctl chain warp --help\n',
  ],
  ['maker quote --price -1', "error: option '--price <usd>' argument '-1' is invalid."],
  ['serve --port 99999', 'error: a setting is wrong\n  PORT (flag --port)'],
])('%s is refused before anything is asked of anyone: %j', async (line, said) => {
  const { code, stdout, stderr } = await run(line.split(' '))
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(said)
})

describe('a private key on the command line (fault K1)', () => {
  const key = `0x${'ab'.repeat(32)}`
  test.each([
    [['taker', 'buy', '@1', '--budget', '1', '--private-key', key]],
    [['taker', 'buy', `--private-key=${key}`]],
    [['maker', 'approve', '--pk', key]],
    [['faucet', '--privateKey', key]],
    [['serve', '--mnemonic', 'test test']],
  ])('is refused and not repeated: %j', async (argv) => {
    const { code, stdout, stderr } = await run(argv)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('--key-file')
    expect(stderr).not.toContain(key)
  })
})

test.each([
  [[`--sign-with=0x${'ab'.repeat(32)}`]],
  [['taker', 'buy', '@1', '--budget', 'ab'.repeat(32)]],
  [[`0x${'AB'.repeat(32)}`]],
])('a value that looks like a key in the wrong place is not repeated: %j', async (argv) => {
  const { code, stderr } = await run(argv)
  expect(code).toBe(2)
  expect(stderr.toLowerCase()).not.toContain('abab')
})

describe('help', () => {
  test('has colour for people on a terminal, and none with NO_COLOR or --no-color', async () => {
    const escapeCode = String.fromCharCode(27)
    expect((await run(['--help'], { isTTY: true })).stdout).toContain(escapeCode)
    expect((await run(['--help'], { isTTY: true, environment: { NO_COLOR: '1' } })).stdout).not.toContain(escapeCode)
    expect((await run(['--help', '--no-color'], { isTTY: true })).stdout).not.toContain(escapeCode)
  })

  test('says its version', async () => {
    expect(await run(['--version'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  })
})
