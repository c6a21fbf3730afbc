import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCli } from '../../src/cli/run-cli.ts'
import { commandLines, examplesOf, wordsOf } from './help-texts.ts'
import { NOWHERE, type Ran, run, temporaryDirOfFile } from './support.ts'

/** Commands that run until they are told to end. */
const SERVICES = ['up', 'serve', 'chain start', 'maker simulate', 'signer serve', 'relayer run']

/** Proven at length by test/e2e/demo.smoke.test.ts, authority.test.ts, runbook.test.ts, settle.test.ts, maker-by-hand.test.ts, markets-import.int.test.ts, init.test.ts, lister.int.test.ts, db.test.ts, former-approvals.int.test.ts, audit-verify.test.ts and measure.test.ts; a restore needs the relay to have ended. */
const PROVEN_ELSEWHERE = [
  'demo',
  'maker confirm',
  'maker decline',
  'maker cancel-all',
  'maker close',
  'taker close',
  'chain signer propose',
  'chain signer accept',
  'chain signer revoke',
  'chain guardian propose',
  'chain guardian accept',
  'chain guardian revoke',
  'settle veto',
  'settle last-resort',
  'chain registrar',
  'chain halter',
  'chain owner propose',
  'chain owner accept',
  'chain owner revoke',
  'settle manual propose',
  'settle manual execute',
  'settle manual veto',
  'settle review resolve',
  'db restore',
  'db move',
  'db renew',
  'wallet revoke',
  'audit transcript',
  'audit verify',
  'audit monitor',
  'audit quality',
  'bench',
  'markets import',
  'lister run',
  'init',
]

/** What must have happened before an example makes sense, as a person would have done it: by its own line, or by its command. */
const BEFORE: Record<string, readonly string[]> = {
  'maker quote': ['rfqctl taker request @1 --budget 100'],
  'rfqctl maker quote --account maker-4 --bid 0.18 --price 0.2 --size 1000': ['rfqctl taker request @1 --both 50'],
  'rfqctl taker commit --side sell': ['rfqctl taker request @1 --both 50', 'wait for a quote'],
  'maker revoke': [
    'rfqctl maker authorize 0x14dC79964da2C08b23698B3D3cc7Ca32193d9955 --for 30d --account maker-4 --yes',
  ],
  'taker watch': ['rfqctl taker request @1 --budget 100'],
  'taker quotes': ['rfqctl taker request @1 --budget 100'],
  'taker cancel': ['rfqctl taker request @1 --budget 100'],
  'taker commit': ['rfqctl taker request @1 --budget 100', 'wait for a quote'],
  'taker fill': ['rfqctl taker request @1 --budget 100', 'wait for a quote', 'rfqctl taker commit'],
  'tx explain': ['rfqctl taker buy @1 --budget 100 --fill'],
  audit: ['rfqctl taker request @1 --budget 100'],
  'keys create': ['rfqctl login --dev ada'],
  'keys list': ['rfqctl login --dev ada'],
  'keys revoke': ['rfqctl login --dev ada', 'rfqctl keys create'],
  'settle prepare': ['rfqctl chain warp 1h'],
  'settle submit': ['rfqctl chain warp 1h'],
}

const dir = temporaryDirOfFile()
/** Settings files are looked for here too: whatever writes or starts one of its own does it elsewhere. */
const elsewhere = temporaryDirOfFile()
const stop = new AbortController()
let up: Promise<number>

beforeAll(async () => {
  writeFileSync(join(dir, 'wallet.key'), `0x${'1'.repeat(64)}`, { mode: 0o600 })
  await new Promise<void>((resolve, reject) => {
    const isReady = (text: string) => text.includes('is ready') && resolve()
    // What is settled by hand must not be settled already, however long the commands before take.
    up = runCli(['up', '--port', '0', '--settle-after', 'never'], {
      ...quiet(),
      stdout: { write: isReady },
      cwd: dir,
      stop: stop.signal,
    })
    up.then((code) => reject(new Error(`up ended with ${code}`)), reject)
  })
})

afterAll(async () => {
  stop.abort({ kind: 'signal', signal: 'SIGTERM' })
  expect(await up).toBe(0)
})

const leaves = (await commandLines()).filter(({ isLeaf }) => isLeaf).map(({ path }) => path)
const paths = inOrder(leaves)
const examples = (
  await Promise.all(paths.map(async (path) => (await examplesOf(path)).map((line) => ({ path, line }))))
).flat()

describe('an example of help works when it is pasted beside a running sandbox', () => {
  test.each(examples.filter(({ path }) => !PROVEN_ELSEWHERE.includes(path)))('$line', async ({ path, line }) => {
    for (const step of BEFORE[line] ?? BEFORE[path] ?? []) await take(step)
    const { code, stderr } = SERVICES.includes(path) ? await runService(line) : await paste(line)
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  })
})

describe('for programs', () => {
  const lines = [
    'rfqctl markets list',
    'rfqctl series list',
    'rfqctl series get @1',
    'rfqctl taker request @1 --budget 100',
    'rfqctl taker quotes',
    'rfqctl taker watch --for 100ms',
    'rfqctl taker cancel',
    'rfqctl taker positions',
    'rfqctl maker status',
    'rfqctl events tail --for 300ms',
    'rfqctl wallet list',
    'rfqctl chain status',
    'rfqctl config view',
  ]
  test.each(lines)('every line of "%s --json" is an object, and nothing else is said', async (line) => {
    const { code, stdout, stderr } = await paste(`${line} --json`)
    const documents = stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(documents.every((document) => typeof document.type === 'string')).toBe(true)
  })

  test('a trade is reported step by step, in figures that agree', async () => {
    const { series } = JSON.parse((await paste('rfqctl series list --json')).stdout)
    const { row } = series.find(({ market }: { market: string }) => market.startsWith('Will'))
    const { code, stdout } = await paste(`rfqctl taker buy @${row} --budget 100 --fill --json`)
    const documents = stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text))
    const one = (type: string) => documents.find((document) => document.type === type)
    const { order } = one('commitment').onchain
    expect(code).toBe(0)
    expect([documents[0].type, documents.at(-2).type, documents.at(-1).type]).toEqual(['request', 'commitment', 'fill'])
    expect(one('commitment').limitPrice).toBe(one('commitment').shown.price)
    expect(documents.some(({ type }) => type === 'best_quote')).toBe(true)
    expect(order.optionAmount).toBe(String(one('fill').optionAmount))
    expect(Number(order.premiumAmount) / 1e6).toBe(one('fill').premium)
    expect(JSON.stringify(documents)).not.toContain('takerSecret')
  })
})

/** Settlement comes last: it warps the chain. So does a market that nobody has a price of, and that is listed first. */
function inOrder(all: readonly string[]): string[] {
  const last = [
    'series create',
    'chain warp',
    'signer agree',
    'settle prepare',
    'settle submit',
    'claim',
    'series list',
    'taker positions',
    'chain deploy',
  ]
  return [...all.filter((path) => !last.includes(path)), ...last]
}

async function take(step: string): Promise<void> {
  if (step === 'wait for a quote') return quoted()
  const { code, stderr } = await paste(step)
  if (code !== 0) throw new Error(`${step}: ${stderr}`)
}

/** Asks until a maker has quoted. */
const quoted = (): Promise<void> =>
  expect.poll(async () => JSON.parse((await paste('rfqctl taker quotes --json')).stdout).bestQuote).not.toBeNull()

/** Runs a line as a shell would, with an output file where it has one. */
async function paste(line: string): Promise<Ran> {
  const [command = '', file] = line.split(' > ')
  // Whoever uses the default port of this machine is none of our business.
  const environment = { PORT: '0' }
  const ran = await run(wordsOf(command).slice(1), {
    cwd: dir,
    environment,
    askSecret: async () => 'a password of mine',
    ask: async () => 'yes',
  })
  if (file !== undefined) writeFileSync(join(elsewhere, file), ran.stdout)
  return ran
}

/** Runs a service until it says that it is there, and then tells it to end. */
async function runService(line: string): Promise<Ran> {
  const end = new AbortController()
  const cwd = /^rfqctl (maker|signer|relayer)/.test(line) ? dir : elsewhere
  const environment = { PORT: '0', LOG_LEVEL: 'silent' }
  const onStdout = (text: string) => {
    if (/ready|connected/.test(text)) end.abort({ kind: 'signal', signal: 'SIGTERM' })
  }
  // A person sits at it: for a program, a service says nothing on stdout.
  const port = line.startsWith('rfqctl relayer') ? ['--port', '0'] : []
  return run([...line.split(' ').slice(1), ...port], { cwd, environment, stop: end.signal, onStdout, isTTY: true })
}

function quiet() {
  const sink = { write: () => {} }
  return { stdout: sink, stderr: sink, environment: {}, defaults: NOWHERE, readStdin: async () => '' }
}

test('the output of chain deploy is a settings file that serve takes', () => {
  const settings = JSON.parse(readFileSync(join(elsewhere, 'rfqctl.config.json'), 'utf8'))
  expect(Object.keys(settings).toSorted()).toEqual([
    'CHAIN_ID',
    'CORE_ADDRESS',
    'FAUCET_PRIVATE_KEY',
    'RESOLUTION_SIGNER_KEY',
    'RPC_URL',
    'SETTLEMENT_ADDRESS',
    'STABLECOIN_ADDRESS',
    'START_BLOCK',
  ])
})
