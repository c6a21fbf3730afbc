import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Finding } from '../../src/cli/doctor/check.ts'
import { createDevAccounts } from '../../src/onchain/devnet/accounts.ts'
import { type Anvil, startAnvil } from '../../src/onchain/devnet/anvil.ts'
import { createDevClient, type DevClient } from '../../src/onchain/devnet/client.ts'
import type { Address, Hex } from '../../src/protocol/domain/units.ts'
import { encodeEnvironment, type RelayEnvironment } from '../../src/protocol/wire/environment.ts'
import { json } from '../kit/plays.ts'
import { httpServer } from '../kit/server.ts'
import { createFakeDeployment, serveNode } from '../relay/adapters/chain/fake-deployment.ts'
import { createOwnPostgres, POSTGRES_BIN } from '../support/own-postgres.ts'
import { POSTGRES_HINT, POSTGRES_URL, runSql } from '../support/postgres.ts'
import { serveFrom } from './serving.ts'
import { run, temporaryDir, temporaryDirOfFile } from './support.ts'

const keyOf = (byte: string): Hex => `0x${byte.repeat(32)}`
const addressOf = (byte: string): Address => privateKeyToAccount(keyOf(byte)).address
/** A contract: any code will do. */
const SAFE: Address = '0x5AfE00000000000000000000000000000000c0de'
const MINUTE_MS = 60_000

const folder = temporaryDirOfFile()
let anvil: Anvil
let dev: DevClient
let deployed: Record<string, string>
let snapshot: Hex

beforeAll(async () => {
  anvil = await startAnvil({ port: 0, statePath: null, outlives: false })
  dev = createDevClient(anvil.rpcUrl)
  await dev.setBalance({ address: addressOf('d1'), value: 10n ** 18n })
  await dev.setCode({ address: getSafe(), bytecode: '0x00' })
  deployed = await deploy('--owner', getSafe(), '--guardian', addressOf('d2'), '--dispute-window', '2h')
  snapshot = await dev.snapshot()
})
afterAll(() => anvil?.stop())
beforeEach(async () => {
  await dev.revert({ id: snapshot })
  snapshot = await dev.snapshot()
  await dev.mine({ blocks: 1 })
})

/** Asked for, and not refused: a first market with little money can do with it. */
const ONE_KEY = `roles: the resolution signer ${addressOf('d3')} signs by one key`

const getSafe = (): Address => SAFE.toLowerCase() as Address

/** The settings of a deployment by a wallet of its own. */
async function deploy(...flags: string[]): Promise<Record<string, string>> {
  const signer = flags.includes('--signers') ? [] : ['--resolution-signer', addressOf('d3')]
  const roles = [...signer, '--minter', addressOf('d4'), ...flags]
  const { stdout, stderr } = await run(
    ['chain', 'deploy', '--rpc', anvil.rpcUrl, '--key-stdin', '--again', '--json', ...roles],
    { cwd: folder, stdin: keyOf('d1') },
  )
  if (stdout === '') throw new Error(stderr)
  return Object.fromEntries(Object.entries(JSON.parse(stdout)).map(([name, value]) => [name, String(value)]))
}

/** A directory with a backup of a while ago. */
function withBackup(ageMs = MINUTE_MS, content = 'rows'): string {
  const cwd = temporaryDir()
  mkdirSync(join(cwd, 'backups'))
  const path = join(cwd, 'backups', 'rfqctl.dump')
  writeFileSync(path, content)
  const at = (Date.now() - ageMs) / 1_000
  utimesSync(path, at, at)
  return cwd
}

/** What an operator has set who may go live. */
const live = (): Record<string, string | undefined> => ({
  ...deployed,
  RPC_URL: anvil.rpcUrl,
  NODE_ENV: 'production',
  RESOLUTION_SIGNER_KEY: keyOf('d3'),
  FAUCET_PRIVATE_KEY: keyOf('d4'),
  OPERATOR_TOKEN: 'the-token-of-the-operator',
  SETTLEMENT_API_KEY: 'the-key-for-settlements',
  MAKER_API_KEYS: '[{"apiKey":"mk_live_0123456789abcdef0123456789abcdef","makerId":"desk"}]',
  MARKETS_URL: 'https://markets.example/markets',
  PRICE_HISTORY_URL: 'https://prices.example/prices-history',
  TRUST_PROXY: '127.0.0.1',
  HEAD_STALE_MS: '60000',
  BACKUP_DIR: 'backups',
})

/** What a program is told. */
async function doctor({
  environment = {},
  argv = [],
  cwd = withBackup(),
}: {
  environment?: Record<string, string | undefined>
  argv?: string[]
  cwd?: string
} = {}) {
  const { code, stdout, stderr } = await run(['doctor', '--production', '--json', ...argv], {
    cwd,
    environment: { ...live(), ...environment },
  })
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] }
  const told = (state: Finding['state']) =>
    findings.filter((finding) => finding.state === state).map(({ check, found }) => `${check}: ${found}`)
  return { code, ok, stderr, told, findings }
}

test('a complete deployment may go live, and an unchecked item is never good', async () => {
  const { code, ok, told } = await doctor()
  expect({ code, ok, faults: told('fault'), warnings: told('warning') }).toEqual({
    code: 0,
    ok: true,
    faults: [],
    warnings: [ONE_KEY],
  })
  expect(told('unseen')).toEqual([
    'tls: not looked at: how clients reach the relay: no --url is given',
    'relay: not looked at: none runs here, and no --url is given',
  ])
  const people = await run(['doctor', '--production'], { cwd: withBackup(), environment: live() })
  expect(people.stdout).toContain(
    'Nothing that was looked at is in the way of going live; 2 things could not be looked at.',
  )
})

test('a relay that serves these settings is looked at, and ready', async () => {
  const cwd = withBackup()
  const { url } = await serveFrom(cwd, { hasChain: true, environment: { ...live(), LOG_LEVEL: 'silent' } })
  const { code, told } = await doctor({ cwd, argv: ['--url', url] })
  expect({ code, faults: told('fault') }).toEqual({ code: 0, faults: [] })
  expect(told('good')).toEqual(
    expect.arrayContaining([`relay: ${url} is ready`, 'clock: the clocks of relay and machine agree']),
  )
  expect(told('unseen')).toContain('store: not looked at: whether the relay runs with --memory, which keeps nothing')
  const plain = await doctor({ cwd, argv: ['--url', url.replace('127.0.0.1', '0.0.0.0')] })
  expect(plain.told('fault')).toEqual([expect.stringMatching(/^tls: http:\/\/0\.0\.0\.0:\d+ is plain HTTP$/)])
  expect(plain.code).toBe(3)
})

describe('a setting in the way is a number on the list', () => {
  const dev = createDevAccounts()
  test.each<[string, Record<string, string | undefined>, string[]]>([
    ['development', { NODE_ENV: undefined }, ['settings: NODE_ENV is not production']],
    [
      'a wrong setting',
      { MAX_CANDIDATES: 'many' },
      ['settings: MAX_CANDIDATES (environment) is not an integer from 1 to 100'],
    ],
    ['no sources', { PRICE_HISTORY_URL: undefined }, ['settings: PRICE_HISTORY_URL is required in production']],
    ['made-up prices', { ALLOW_FIXTURES: 'true' }, ['sources: ALLOW_FIXTURES lets made-up prices settle']],
    [
      'an average of one point',
      { TWAP_MIN_POINTS: '1' },
      ['average: one price decides a settlement: TWAP_MIN_POINTS is 1'],
    ],
    ['gaps in an average', { TWAP_MAX_GAP_S: '151' }, ['average: prices may be missing for 2m 31s of an average']],
    ['no settle lag', { SETTLE_LAG_MS: '0' }, ['average: settlement does not wait for the last prices']],
    ['no operator token', { OPERATOR_TOKEN: undefined }, ['token: no OPERATOR_TOKEN is set']],
    ['no signer', { RESOLUTION_SIGNER_KEY: undefined }, ['signer: nothing signs resolutions']],
    ['another signer', { RESOLUTION_SIGNER_KEY: keyOf('d9') }, ['signer: the core accepts attestations signed by']],
    ['a public faucet', { FAUCET_PRIVATE_KEY: dev.faucet.privateKey }, ['keys: FAUCET_PRIVATE_KEY is public']],
    ['no proxy', { TRUST_PROXY: undefined }, ['proxy: no proxy is trusted']],
    [
      'no proxy, for all to reach',
      { TRUST_PROXY: undefined, HOST: '0.0.0.0' },
      ['proxy: the relay listens at 0.0.0.0 in plain HTTP'],
    ],
    ['any proxy', { TRUST_PROXY: 'true', HOST: '0.0.0.0' }, ['proxy: anyone may name the client']],
    [
      'prices over plain HTTP',
      { PRICE_HISTORY_URL: 'http://prices.example/' },
      ['http: PRICE_HISTORY_URL is plain HTTP'],
    ],
    ['no rate', { REQUEST_RATE_PER_ADDRESS: '0' }, ['quotas: REQUEST_RATE_PER_ADDRESS is 0']],
    ['no cap on requests', { MAX_OPEN_REQUESTS: '0' }, ['quotas: MAX_OPEN_REQUESTS is 0']],
    ['a head of any age', { HEAD_STALE_MS: '0' }, ['head: commits continue however old the head of the chain is']],
    ['backups that no one knows of', { BACKUP_DIR: 'none' }, ['backups: ']],
    ['several nodes on files', { REDIS_URL: 'redis://127.0.0.1:1' }, ['settings: REDIS_URL needs DATABASE_URL too']],
  ])('%s', async (_, environment, faults) => {
    const { code, ok, told, stderr } = await doctor({ environment })
    expect(told('fault')).toEqual(faults.map((text) => expect.stringContaining(text)))
    expect(ok).toBe(false)
    expect(code).not.toBe(0)
    expect(stderr).toContain('not_live_ready')
  })

  test('as production would read it, where this shell is not production', async () => {
    const { told } = await doctor({ environment: { NODE_ENV: undefined, MARKETS_URL: undefined } })
    expect(told('fault')).toEqual([
      'settings: NODE_ENV is not production',
      expect.stringContaining('settings: MARKETS_URL is required in production'),
    ])
  })

  test('as are contracts and a node that no one has named, once', async () => {
    const bare = { CORE_ADDRESS: undefined, SETTLEMENT_ADDRESS: undefined, STABLECOIN_ADDRESS: undefined }
    const named = await doctor({ environment: bare })
    expect(named.told('fault')).toEqual([expect.stringContaining('settings: RPC_URL needs SETTLEMENT_ADDRESS')])
    expect(named.told('unseen')).toContain('contracts: not looked at: their addresses are not set')
    const { told } = await doctor({ environment: { ...bare, RPC_URL: undefined } })
    expect(told('unseen')).toContain('head: not looked at: RPC_URL is not set')
    expect(told('fault')).toContainEqual(expect.stringContaining('never starts a chain of its own'))
  })

  test('and what is refused is not also called unseen', async () => {
    const { told } = await doctor({ environment: { RESOLUTION_SIGNER_KEY: undefined } })
    expect(told('unseen').filter((line) => line.startsWith('signer'))).toEqual([])
  })

  test('and pages for everyone are a warning', async () => {
    const { code, told } = await doctor({ environment: { WEB: 'on' } })
    expect({ code, warnings: told('warning') }).toEqual({
      code: 0,
      warnings: [expect.stringContaining('pages: '), ONE_KEY],
    })
  })

  test('and so are commits that must prove their wallets, for whom that shuts out', async () => {
    const { code, told } = await doctor({ environment: { COMMIT_PROOF: 'required' } })
    expect({ code, warnings: told('warning') }).toEqual({
      code: 0,
      warnings: [expect.stringMatching(/^proof: .*specification alone.*EIP-712/), ONE_KEY],
    })
  })

  test('a private network may do without TLS', async () => {
    const { told } = await doctor({
      environment: { MARKETS_URL: 'http://10.1.2.3/markets', PRICE_HISTORY_URL: 'http://prices:80/' },
    })
    expect(told('fault')).toEqual([])
  })
})

describe('a backup of the last day is asked for', () => {
  test.each([
    ['one of two days ago', () => withBackup(48 * 60 * MINUTE_MS), 'is 2d old'],
    ['an empty file', () => withBackup(MINUTE_MS, ''), 'has no backup'],
  ])('%s does not count', async (_, makeDir, found) => {
    const { code, told } = await doctor({ cwd: makeDir() })
    expect({ code, faults: told('fault') }).toEqual({ code: 3, faults: [expect.stringContaining(found)] })
  })

  test('one that rfqctl made of a file store counts', async () => {
    const cwd = withBackup(48 * 60 * MINUTE_MS)
    const environment = { ...live(), LOG_LEVEL: 'silent' }
    const { stop } = await serveFrom(cwd, { hasChain: true, environment })
    await stop()
    const faults = async (changes: Record<string, undefined> = {}) =>
      (await doctor({ cwd, environment: changes })).told('fault').filter((line) => line.startsWith('backups'))
    expect(await faults()).toEqual([expect.stringContaining('is 2d old')])
    expect(await run(['db', 'backup', 'backups/now'], { cwd, environment })).toMatchObject({ code: 0 })
    expect(await faults()).toEqual([])
    expect(await faults({ BACKUP_DIR: undefined })).toEqual([
      'backups: no BACKUP_DIR is set, so that no backup is known',
    ])
  })

  test.skipIf(POSTGRES_URL === undefined)(`a Postgres that archives nothing has none${POSTGRES_HINT}`, async () => {
    const { told } = await doctor({ environment: { BACKUP_DIR: undefined, DATABASE_URL: POSTGRES_URL } })
    expect(told('fault')).toEqual(['backups: no BACKUP_DIR is set, and Postgres has archived nothing'])
  })

  test.skipIf(POSTGRES_BIN === null)(
    'a standby that no trade waits for is named, and so is one that is waited for',
    async () => {
      const postgres = await createOwnPostgres()
      onTestFinished(postgres.remove)
      const standby = await postgres.createStandby({ follows: true })
      onTestFinished(standby.remove)
      const about = async () => {
        const { findings } = await doctor({ environment: { DATABASE_URL: postgres.url } })
        return findings.filter(({ check }) => check === 'standbys').map(({ state, found }) => `${state}: ${found}`)
      }
      await expect.poll(about).toEqual([expect.stringMatching(/^warning: 1 standby, and no trade waits for any/)])
      await runSql("alter system set synchronous_standby_names = '*'", [], postgres.url)
      await runSql('select pg_reload_conf()', [], postgres.url)
      await expect.poll(about).toEqual([expect.stringMatching(/^good: 1 standby/)])
    },
  )
})

describe('a chain in the way is a number on the list', () => {
  test('an owner that is a single key, and is the guardian, without a dispute window', async () => {
    const { code, told } = await doctor({ environment: await deploy('--owner', addressOf('d2')) })
    expect(code).toBe(3)
    expect(told('fault')).toEqual([
      `roles: the owner ${addressOf('d2')} is a single key`,
      'roles: owner and guardian are one: no one can stop a stolen owner key',
      'roles: there is no dispute window: no signed price can be vetoed',
    ])
  })

  test('a resolution signer of several keys is asked for where one of them signs alone', async () => {
    const keys = ['e1', 'e2', 'e3'].map(addressOf).join(',')
    const warnings = async (threshold: string) => {
      const environment = await deploy('--signers', keys, '--threshold', threshold, '--owner', getSafe())
      return (await doctor({ environment })).told('warning')
    }
    expect(await warnings('1')).toEqual([
      expect.stringMatching(/^roles: the resolution signer 0x\w+ signs by one key$/),
    ])
    expect(await warnings('2')).toEqual([])
  })

  test('a key that lent its account to a contract is a single key', async () => {
    await dev.setCode({ address: getSafe(), bytecode: `0xef0100${'11'.repeat(20)}` })
    expect((await doctor()).told('fault')).toEqual([expect.stringMatching(/^roles: the owner 0x.* is a single key$/i)])
  })

  test("Anvil's accounts in any role", async () => {
    const [owner, guardian, registrar] = await dev.getAddresses()
    const flags = [
      '--owner',
      owner,
      '--guardian',
      guardian,
      '--registrar',
      registrar,
      '--dispute-window',
      '2h',
    ] as string[]
    const { told } = await doctor({ environment: await deploy(...flags) })
    expect(told('fault')).toEqual([
      `roles: the key of the owner ${owner} is public: it is one of Anvil's ten`,
      `roles: the key of the guardian ${guardian} is public: it is one of Anvil's ten`,
      `roles: the key of the registrar ${registrar} is public: it is one of Anvil's ten`,
      `roles: the owner ${owner} is a single key`,
    ])
  })

  test('code of another version', async () => {
    const address = deployed.CORE_ADDRESS as Address
    await dev.setCode({ address, bytecode: `${(await dev.getCode({ address }))?.slice(0, -2)}0b` as Hex })
    const { code, told } = await doctor()
    expect({ code, faults: told('fault') }).toEqual({
      code: 8,
      faults: [expect.stringContaining('differs from ServiceCore at byte')],
    })
  })

  test('a head ahead of the clock, and a chain that does not answer', async () => {
    await dev.increaseTime({ seconds: 3_600 })
    await dev.mine({ blocks: 1 })
    expect((await doctor()).told('fault')).toEqual([
      expect.stringMatching(/^clock: the chain is .* ahead of this machine$/),
    ])
    const { code, told } = await doctor({ environment: { RPC_URL: 'http://127.0.0.1:9' } })
    expect(code).toBe(8)
    expect(told('fault').map((line) => line.split(':')[0])).toEqual(['chain', 'head'])
  })

  test('a stale head', async () => {
    const node = createFakeDeployment(addressOf('d3'))
    const timestamp = toHex(Math.floor(Date.now() / 1_000) - 3_600)
    node.methods.set('eth_getBlockByNumber', () => ({ number: '0x7', timestamp, transactions: [] }))
    const { url } = await serveNode(node)
    const { told } = await doctor({ environment: { RPC_URL: url } })
    expect(told('fault')).toContainEqual(expect.stringMatching(/^head: block 7 is 1h( \d+s)? old$/))
  })
})

describe('a relay in the way is a number on the list', () => {
  /** A relay that says what a test wants. */
  async function saying(environment: Partial<RelayEnvironment>, offMs = 0): Promise<string> {
    const whole: RelayEnvironment = {
      logKeys: [],
      explorerUrl: null,
      privateFields: [],
      twoSided: true,
      mode: 'onchain',
      chainId: 80_002,
      coreAddress: deployed.CORE_ADDRESS as Address,
      settlementAddress: deployed.SETTLEMENT_ADDRESS as Address,
      stablecoinAddress: deployed.STABLECOIN_ADDRESS as Address,
      chainTime: 0,
      faucet: null,
      relayerUrl: null,
      partnerFee: null,
      sandbox: false,
      commitProof: 'optional',
      formerSettlementAddresses: [],
      ...environment,
    }
    const { url } = await httpServer((response, request) => {
      const isEnvironment = request.url === '/v1/environment'
      return json(isEnvironment ? encodeEnvironment(whole) : timeOf(Date.now() + offMs))(response, request)
    })
    return url
  }

  const timeOf = (at: number) => ({ success: true, serverTime: new Date(at).toISOString(), unixMs: at })

  test.each<[string, Partial<RelayEnvironment>, number, string]>([
    ['a clock that is behind', {}, -60_000, 'clock: the relay is 1m behind this machine'],
    ['one without a chain', { mode: 'simulated' }, 0, 'relay: it runs without a chain'],
    ['one of other contracts', { coreAddress: SAFE }, 0, `relay: it serves CORE_ADDRESS ${SAFE}, not`],
    ['one of a sandbox', { sandbox: true }, 0, 'relay: its chain is a sandbox: anyone moves its time'],
  ])('%s', async (_, environment, offMs, found) => {
    const { code, told } = await doctor({ argv: ['--url', await saying(environment, offMs)] })
    expect({ code, faults: told('fault') }).toEqual({ code: 3, faults: [expect.stringContaining(found)] })
  })

  test('one that does not answer', async () => {
    const { code, told } = await doctor({ argv: ['--url', 'http://127.0.0.1:9'] })
    expect({ code, faults: told('fault') }).toEqual({ code: 7, faults: [expect.stringMatching(/^relay: /)] })
  })
})

test('people get a numbered list, each with what to do', async () => {
  const environment = { ...live(), OPERATOR_TOKEN: undefined, TWAP_MIN_POINTS: '1' }
  const { code, stdout, stderr } = await run(['doctor', '--production'], { cwd: withBackup(), environment })
  expect(code).toBe(3)
  expect(stdout).toContain(`
In the way of going live:
 1. average: one price decides a settlement: TWAP_MIN_POINTS is 1
    try: set TWAP_MIN_POINTS to 20
 2. token: no OPERATOR_TOKEN is set
    try: set one of 32 random bytes: openssl rand -hex 32
`)
  expect(stderr).toContain('2 in the way of going live')
})
