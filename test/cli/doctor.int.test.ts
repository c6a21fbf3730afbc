import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zeroAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import type { DoctorContext, Finding } from '../../src/cli/doctor/check.ts'
import { checkNode } from '../../src/cli/doctor/local.ts'
import type { Address, Hex } from '../../src/protocol/domain/units.ts'
import { createResolutionSigner } from '../../src/relay/adapters/signing.ts'
import type { Environment } from '../../src/relay/config/sources.ts'
import { text } from '../kit/plays.ts'
import { httpServer } from '../kit/server.ts'
import { createFakeDeployment, serveNode } from '../relay/adapters/chain/fake-deployment.ts'
import { CORE, SETTLEMENT, SIGNER_CONTRACT, STABLECOIN } from '../relay/adapters/chain/fake-node.ts'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

const ADDRESS = `0x${'1'.repeat(40)}`
const CONTRACTS = { SETTLEMENT_ADDRESS: ADDRESS, CORE_ADDRESS: ADDRESS, STABLECOIN_ADDRESS: ADDRESS }

/** A port of this machine where HTTP is answered with a text. */
async function answering(said: string): Promise<number> {
  const { port } = await httpServer(text(said, 200, { 'content-type': 'application/json' }))
  return port
}

/** What the doctor says to a program, in a directory where the port of `serve` is not looked at unless a test does. */
async function runCheck(
  cwd: string,
  { argv = [], environment = {} }: { argv?: string[]; environment?: Environment } = {},
) {
  const { code, stdout } = await run(['doctor', '--json', ...argv], { cwd, environment: { PORT: '0', ...environment } })
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] }
  const stateOf = (name: string) => findings.find(({ check }) => check === name)?.state
  return { code, ok, findings, stateOf }
}

test('an empty folder has no fault, and the next step is shown', async () => {
  const { code, ok, findings, stateOf } = await runCheck(temporaryDir())
  expect({ code, ok }).toEqual({ code: 0, ok: true })
  expect(findings.filter(({ state }) => state === 'warning').map(({ fix }) => fix)).toEqual(['rfqctl up', 'rfqctl up'])
  expect(stateOf('wallets')).toBe('good')
})

test.each([
  ['before the first start', null],
  ['after a stop', { version: 1, pid: 2 ** 30, url: 'http://127.0.0.1:2', makers: [], takers: [] }],
])('an operator is not advised to start a sandbox, %s', async (_, left) => {
  const cwd = temporaryDir()
  mkdirSync(join(cwd, '.rfqctl'), { mode: 0o700 })
  if (left !== null) writeFileSync(join(cwd, '.rfqctl', 'sandbox.json'), JSON.stringify(left), { mode: 0o600 })
  const { findings, stateOf } = await runCheck(cwd, { environment: { NODE_ENV: 'production' } })
  expect(JSON.stringify(findings)).not.toContain('rfqctl up')
  expect(stateOf('sandbox')).toBe('good')
  expect(findings.find(({ check }) => check === 'relay')?.fix).toBe('rfqctl serve')
})

test('beside a relay everything is good', async () => {
  const cwd = temporaryDir()
  await serveFrom(cwd)
  await run(['login', '--dev', 'ada'], { cwd })
  const key = JSON.parse((await run(['keys', 'create', '--json'], { cwd })).stdout).key
  const { code, findings } = await runCheck(cwd, { environment: { RFQCTL_API_KEY: key } })
  expect(findings.filter(({ state }) => state !== 'good')).toEqual([])
  expect(findings.map(({ check }) => check)).toEqual([
    ...['node', 'settings', 'data', 'privacy', 'store', 'sandbox', 'port', 'relay', 'chain', 'wallets'],
    ...['maker key', 'login'],
  ])
  expect(code).toBe(0)
  const { code: refused, stateOf } = await runCheck(cwd, { environment: { RFQCTL_API_KEY: 'mk_live_nobodys' } })
  expect({ refused, state: stateOf('maker key') }).toEqual({ refused: 4, state: 'fault' })
})

test('with Postgres as its store no file is looked for, and a relay without wallets of its own is not a sandbox', async () => {
  const cwd = temporaryDir()
  const environment = { DATABASE_URL: 'postgres://rfqctl:hunter2@db/rfqctl' }
  mkdirSync(join(cwd, '.rfqctl'), { mode: 0o700 })
  const sandbox = { version: 1, pid: process.pid, url: 'http://127.0.0.1:2', makers: [], takers: [] }
  writeFileSync(join(cwd, '.rfqctl', 'sandbox.json'), JSON.stringify(sandbox), { mode: 0o600 })
  const { findings } = await runCheck(cwd, { environment })
  const of = (name: string) => findings.find(({ check }) => check === name)
  expect(of('store')).toMatchObject({ state: 'unseen', found: expect.stringContaining('Postgres') })
  expect(of('sandbox')).toMatchObject({ state: 'good', found: expect.stringContaining('none') })
  expect(JSON.stringify(findings)).not.toContain('hunter2')
})

test('a resolution key that is not the active signer is a fault; one that is, also by a contract, is good', async () => {
  const key: Hex = `0x${'7a'.repeat(32)}`
  const environment = {
    CORE_ADDRESS: CORE,
    SETTLEMENT_ADDRESS: SETTLEMENT,
    STABLECOIN_ADDRESS: STABLECOIN,
    RESOLUTION_SIGNER_KEY: key,
  }
  const ask = async (active: Address) => {
    const { url } = await serveNode(createFakeDeployment(active))
    return runCheck(temporaryDir(), { environment: { ...environment, RPC_URL: url } })
  }
  const own = createResolutionSigner(key).address
  expect((await ask(own)).stateOf('signer')).toBe('good')
  const { code, stateOf, findings } = await ask(SIGNER_CONTRACT)
  expect({ code, contracts: stateOf('contracts'), signer: stateOf('signer') }).toEqual({
    code: 8,
    contracts: 'good',
    signer: 'fault',
  })
  const node = createFakeDeployment(SIGNER_CONTRACT)
  node.answers.set(`${SIGNER_CONTRACT}.isValidSignature`, { value: '0x1626ba7e' })
  const { url } = await serveNode(node)
  expect((await runCheck(temporaryDir(), { environment: { ...environment, RPC_URL: url } })).stateOf('signer')).toBe(
    'good',
  )
  expect(findings.find(({ check }) => check === 'signer')?.found).toContain(own)
})

test('a core without protection is a warning where its chain is no sandbox, also of chain status', async () => {
  const node = createFakeDeployment(SIGNER_CONTRACT)
  const { url } = await serveNode(node)
  const contracts = { CORE_ADDRESS: CORE, SETTLEMENT_ADDRESS: SETTLEMENT, STABLECOIN_ADDRESS: STABLECOIN }
  const environment = { ...contracts, RPC_URL: url }
  const warnings = async () => {
    const { code, findings } = await runCheck(temporaryDir(), { environment })
    const { stderr } = await run(['chain', 'status'], { cwd: temporaryDir(), environment })
    const found = findings.filter(({ check }) => check === 'roles').map((finding) => [finding.state, finding.found])
    return { code, found, noted: stderr.split('\n').filter((line) => line.startsWith('warning: ')) }
  }
  expect(await warnings()).toEqual({ code: 0, found: [], noted: [] })

  node.answers.set(`${CORE}.holderOf`, ([role]) => ({
    value: [SETTLEMENT, SETTLEMENT, SIGNER_CONTRACT][Number(role)] ?? zeroAddress,
  }))
  node.answers.set(`${CORE}.DISPUTE_WINDOW`, { value: 0n })
  const unguarded = 'owner and guardian are one: no one can stop a stolen owner key'
  const undisputed = 'there is no dispute window: no signed price can be vetoed'
  const { code, found, noted } = await warnings()
  expect({ code, found }).toEqual({
    code: 0,
    found: [
      ['warning', unguarded],
      ['warning', undisputed],
    ],
  })
  expect(noted).toEqual([expect.stringContaining(unguarded), expect.stringContaining(undisputed)])

  node.methods.set('web3_clientVersion', () => 'anvil/v1.4.0')
  expect(await warnings()).toEqual({ code: 0, found: [], noted: [] })
})

/** A directory with something in its data directory. */
function withFile(path: string, content: string, mode = 0o600): string {
  const cwd = temporaryDir()
  mkdirSync(join(cwd, '.rfqctl', 'keystores'), { recursive: true, mode: 0o700 })
  writeFileSync(join(cwd, '.rfqctl', path), content)
  chmodSync(join(cwd, '.rfqctl', path), mode)
  return cwd
}

describe('a fault is named, with one thing to do, and ends with its exit code', () => {
  const cases: [string, string, number, () => Promise<Parameters<typeof runCheck>> | Parameters<typeof runCheck>][] = [
    ['a wrong setting', 'settings', 2, () => [temporaryDir(), { environment: { MAX_CANDIDATES: 'many' } }]],
    [
      'a data directory that cannot be one',
      'data',
      1,
      () => [withFile('file', ''), { argv: ['--data-dir', '.rfqctl/file'] }],
    ],
    ['a file that others can read', 'privacy', 4, () => [withFile('login.json', '{}', 0o644)]],
    ['a store that is damaged', 'store', 9, () => [withFile('store.json', '{')]],
    ['a sandbox that is damaged', 'sandbox', 9, () => [withFile('sandbox.json', '[]')]],
    ['a keystore that is damaged', 'wallets', 9, () => [withFile('keystores/desk.json', 'no')]],
    [
      'a port that is taken',
      'port',
      10,
      async () => [temporaryDir(), { environment: { PORT: String(await answering('')) } }],
    ],
    ['a relay that is not there', 'relay', 7, () => [temporaryDir(), { argv: ['--url', 'http://127.0.0.1:2'] }]],
    [
      'a chain that is not there',
      'chain',
      8,
      () => [temporaryDir(), { environment: { ...CONTRACTS, RPC_URL: 'http://127.0.0.1:2' } }],
    ],
    [
      'a chain of another id',
      'chain',
      8,
      async () => {
        const port = await answering('{"jsonrpc":"2.0","id":0,"result":"0x89"}')
        return [temporaryDir(), { environment: { ...CONTRACTS, RPC_URL: `http://127.0.0.1:${port}` } }]
      },
    ],
  ]
  test.each(cases)('%s', async (_, check, exitCode, prepare) => {
    const { code, ok, findings } = await runCheck(...(await prepare()))
    expect({ code, ok }).toEqual({ code: exitCode, ok: false })
    expect(findings.filter(({ state }) => state === 'fault')).toEqual([
      { check, state: 'fault', found: expect.any(String), fix: expect.stringMatching(/\S/), exitCode },
    ])
  })

  test('with several faults the exit code is that of the first, which the others may come from', async () => {
    const cwd = withFile('store.json', '{', 0o644)
    const { code, findings } = await runCheck(cwd, { argv: ['--url', 'http://127.0.0.1:2'] })
    expect(findings.filter(({ state }) => state === 'fault').map(({ exitCode }) => exitCode)).toEqual([4, 9, 7])
    expect(code).toBe(4)
  })
})

test('a lock that a killed process left is named, and is not a fault', async () => {
  const lock = { pid: 4_194_304, bootId: 'x', startedAt: '1', since: '2026-01-01T00:00:00.000Z', token: 't' }
  const { code, findings } = await runCheck(withFile('store.lock', JSON.stringify(lock)))
  expect(code).toBe(0)
  expect(findings.find(({ check }) => check === 'store')?.found).toContain('the lock of pid 4194304')
})

test('a Node that is too old gets the version to install', () => {
  const context = {} as DoctorContext
  expect(checkNode(context, '18.20.4')).toEqual([expect.objectContaining({ state: 'fault', exitCode: 1 })])
  expect(checkNode(context, '20.18.3')[0]?.fix).toMatch(/^install Node 20\.19/)
  expect(checkNode(context, '20.19.0')[0]?.state).toBe('good')
  expect(checkNode(context, '24.0.0')[0]?.state).toBe('good')
})

test('people read a line for each, with the fix below it', async () => {
  const { code, stdout, stderr } = await run(['doctor'], {
    cwd: withFile('login.json', '{}', 0o640),
    environment: { PORT: '0' },
  })
  expect(code).toBe(4)
  expect(stdout).toMatch(/^✘ privacy {4}others may access .*login\.json\n {13}try: chmod -R go= \S+$/m)
  expect(stderr).toMatch(/^error: 1 fault, the most serious: others may access/)
})
