import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { decodeFunctionData, encodeDeployData, getContractAddress, slice } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Finding } from '../../src/cli/doctor/check.ts'
import { type Artifact, readArtifact } from '../../src/onchain/deploy/artifact.ts'
import { pairOf } from '../../src/onchain/deploy/creation.ts'
import { PROXY } from '../../src/onchain/deploy/proxy.ts'
import { createDevAccounts } from '../../src/onchain/devnet/accounts.ts'
import { type Anvil, startAnvil } from '../../src/onchain/devnet/anvil.ts'
import { createDevClient, type DevClient } from '../../src/onchain/devnet/client.ts'
import { deploymentFactoryAbi, serviceCoreAbi, serviceRfqSettlementAbi } from '../../src/protocol/contracts/abi.ts'
import type { Address, Hex } from '../../src/protocol/domain/units.ts'
import { run, temporaryDirOfFile } from './support.ts'

const SOLC = new URL('../../contracts/node_modules/solc/index.js', import.meta.url)
const solc = loadSolc()
const SOLC_HINT = solc === null ? ' (skipped: npm run contracts:install)' : ''

const cwd = temporaryDirOfFile()
let anvil: Anvil
let dev: DevClient
let settings: Record<string, string>
let snapshot: Hex

beforeAll(async () => {
  anvil = await startAnvil({ port: 0, statePath: null, outlives: false })
  dev = createDevClient(anvil.rpcUrl)
  const deployed = ['chain', 'deploy', '--rpc', anvil.rpcUrl, '--json', '--dispute-window', '2h']
  const { stdout } = await run([...deployed, '--standard-json', 'explorer'], { cwd })
  settings = Object.fromEntries(Object.entries(JSON.parse(stdout)).map(([name, value]) => [name, String(value)]))
  snapshot = await dev.snapshot()
})
afterAll(() => anvil?.stop())
beforeEach(async () => {
  await dev.revert({ id: snapshot })
  snapshot = await dev.snapshot()
})

const core = () => settings.CORE_ADDRESS as Address
const settlement = () => settings.SETTLEMENT_ADDRESS as Address
const stablecoin = () => settings.STABLECOIN_ADDRESS as Address

/** What a program is told, in an environment of the deployment. */
async function verify(environment: Record<string, string | undefined> = {}, flags: readonly string[] = []) {
  const all = { ...settings, ...environment }
  const { code, stdout, stderr } = await run(['chain', 'verify', '--json', ...flags], { cwd, environment: all })
  const { ok = false, findings = [] } = (stdout === '' ? {} : JSON.parse(stdout)) as {
    ok?: boolean
    findings?: Finding[]
  }
  const told = (state: Finding['state']) =>
    findings.filter((finding) => finding.state === state).map(({ check, found }) => `${check}: ${found}`)
  return { code, ok, stderr, findings, told }
}

/** Puts other bytes into the code at an address. */
async function patch(address: Address, start: number, bytes: Hex): Promise<void> {
  const code = (await dev.getCode({ address })) as Hex
  const at = 2 + start * 2
  await dev.setCode({
    address,
    bytecode: `${code.slice(0, at)}${bytes.slice(2)}${code.slice(at + bytes.length - 2)}` as Hex,
  })
}

/** Bytes of its deployed code. */
const sizeOf = (name: 'ServiceCore' | 'ServiceRFQSettlement'): number =>
  (readArtifact(name).deployedBytecode.length - 2) / 2

const places = (name: 'ServiceCore' | 'ServiceRFQSettlement', immutable: string) =>
  (readArtifact(name) as Artifact).immutableReferences[immutable] ?? []

test('a deployment of this version is whole to the last byte, and its links, its fixed choices and its signer are listed', async () => {
  const { code, ok, findings, told } = await verify()
  expect({ code, ok }).toEqual({ code: 0, ok: true })
  expect(findings.map(({ check, state }) => [check, state])).toEqual([
    ['ServiceCore', 'good'],
    ['ServiceRFQSettlement', 'good'],
    ['TestUSD', 'good'],
    ['links', 'good'],
    ['forever', 'good'],
    ['signer', 'good'],
  ])
  expect(told('good')).toContain('forever: a dispute window of 2h, no conditional tokens')
  const people = await run(['chain', 'verify'], { cwd, environment: settings })
  expect(people.stdout).toContain(
    `✔ ServiceCore           ${core()}: all ${sizeOf('ServiceCore')} bytes are those of this version`,
  )
})

describe('each difference is named, and ends with exit code 8', () => {
  const cases: [string, () => Promise<void>, () => string][] = [
    [
      'one byte of code',
      () => patch(core(), 5_000, '0xfe'),
      () => `ServiceCore: ${core()}: its code differs from ServiceCore at byte 5000 of ${sizeOf('ServiceCore')}`,
    ],
    [
      'one byte of metadata',
      () => patch(settlement(), sizeOf('ServiceRFQSettlement') - 1, '0xff'),
      () =>
        `ServiceRFQSettlement: ${settlement()}: its code differs from ServiceRFQSettlement at byte ${sizeOf('ServiceRFQSettlement') - 1} of ${sizeOf('ServiceRFQSettlement')}`,
    ],
    [
      'code of another length',
      async () => dev.setCode({ address: core(), bytecode: `${await dev.getCode({ address: core() })}00` as Hex }),
      () =>
        `ServiceCore: ${core()}: it has ${sizeOf('ServiceCore') + 1} bytes of code, and ServiceCore has ${sizeOf('ServiceCore')}`,
    ],
    [
      'no contract',
      () => dev.setCode({ address: settlement(), bytecode: '0x' }),
      () => `ServiceRFQSettlement: ${settlement()}: there is no contract`,
    ],
    [
      'a core that the settlement pays from at one of many places, while it shows the right one',
      () => patch(settlement(), (places('ServiceRFQSettlement', '_core')[7]?.start ?? 0) + 12, `0x${'ee'.repeat(20)}`),
      () =>
        `ServiceRFQSettlement: ${settlement()}: its immutable _core at byte ${places('ServiceRFQSettlement', '_core')[7]?.start} is 0x${'00'.repeat(12)}${'ee'.repeat(20)}`,
    ],
    [
      'a dispute window that is not the same everywhere',
      () => patch(core(), (places('ServiceCore', 'DISPUTE_WINDOW')[1]?.start ?? 0) + 31, '0x01'),
      () => `ServiceCore: ${core()}: its immutable DISPUTE_WINDOW at byte`,
    ],
    [
      'a stablecoin without decimals',
      () => dev.setCode({ address: stablecoin(), bytecode: '0x00' }),
      () => `stablecoin: ${stablecoin()}: it does not report its decimals`,
    ],
  ]
  test.each(cases)('%s', async (_, tamper, found) => {
    await tamper()
    const { code, ok, told, stderr } = await verify()
    expect({ code, ok }).toEqual({ code: 8, ok: false })
    expect(told('fault')).toEqual([expect.stringContaining(found())])
    expect(stderr).toContain('deployment_mismatch')
  })

  test('a settlement of another deployment', async () => {
    const other = await run(['chain', 'deploy', '--rpc', anvil.rpcUrl, '--json', '--again'], { cwd })
    const { SETTLEMENT_ADDRESS } = JSON.parse(other.stdout) as Record<string, string>
    const { code, told } = await verify({ SETTLEMENT_ADDRESS })
    expect(code).toBe(8)
    expect(told('fault').some((line) => line.includes('its immutable settlement at byte'))).toBe(true)
    expect(told('fault').some((line) => line.includes('its immutable _core at byte'))).toBe(true)
  })

  test('a key that is not the active signer', async () => {
    const { code, told } = await verify({ RESOLUTION_SIGNER_KEY: createDevAccounts().faucet.privateKey })
    expect(code).toBe(8)
    expect(told('fault')).toEqual([expect.stringContaining('the core accepts attestations signed by')])
  })

  test('a node of another chain', async () => {
    const { code, stderr } = await verify({ CHAIN_ID: '137' })
    expect(code).toBe(8)
    expect(stderr).toContain('the node serves chain 80002, not chain 137')
  })
})

test('the addresses are those that their deployer has on each chain, and no other', async () => {
  const [deployer, other] = [createDevAccounts().deployer.address, createDevAccounts().faucet.address]
  const own = await verify({}, ['--deployer', deployer])
  expect(own.code).toBe(0)
  expect(own.told('good')).toContain(`addresses: those of the first deployment of ${deployer}, the same on each chain`)
  const { code, told } = await verify({}, ['--deployer', other])
  expect(code).toBe(8)
  expect(told('fault')).toEqual([`addresses: they do not follow from the deployer ${other} and this version`])
  const again = await run(['chain', 'deploy', '--rpc', anvil.rpcUrl, '--json', '--again'], { cwd })
  const second = Object.fromEntries(
    Object.entries(JSON.parse(again.stdout)).map(([name, value]) => [name, String(value)]),
  )
  expect((await verify(second, ['--deployer', deployer])).told('good')).toContain(
    `addresses: those of deployment 2 of ${deployer}, the same on each chain`,
  )
})

test('a check that cannot run says so, and counts as neither good nor bad', async () => {
  const erc20 = `0x${'6006'}5f5260205ff3` as Hex
  await dev.setCode({ address: stablecoin(), bytecode: erc20 })
  const { code, told } = await verify({ RESOLUTION_SIGNER_KEY: undefined })
  expect(code).toBe(0)
  expect(told('unseen')).toEqual([
    `stablecoin: not looked at: the code of ${stablecoin()}, which is not ours; it has 6 decimals`,
    'signer: not looked at: RESOLUTION_SIGNER_KEY and RESOLUTION_SIGNER_SOCKET are not set here',
  ])
})

test.skipIf(solc === null)(
  `the compiler makes the very bytecode that was deployed from what is written for explorers${SOLC_HINT}`,
  async () => {
    const written = (name: string) => readFileSync(join(cwd, 'explorer', name), 'utf8')
    const { compilerVersion, contracts } = JSON.parse(written('contracts.json')) as {
      compilerVersion: string
      contracts: { address: Address; input: string; contractName: string; constructorArguments: string }[]
    }
    expect(`v${solc?.version()}`).toContain(compilerVersion)
    const { factoryAddress } = pairOf(createDevAccounts().deployer.address, 0)
    expect(contracts.map(({ address }) => address)).toEqual([stablecoin(), factoryAddress, core(), settlement()])
    const creations = await sentCreations()
    for (const { address, input, contractName, constructorArguments } of contracts) {
      const output = JSON.parse(solc?.compile(written(input)) ?? '')
      const [file = '', name = ''] = contractName.split(':')
      const { object } = output.contracts[file][name].evm.bytecode
      expect(creations.get(address.toLowerCase())).toBe(`0x${object}${constructorArguments}`)
    }
  },
)

/** What each contract of the chain was created from, by its address: by the proxy, or by a factory that the proxy made. */
async function sentCreations(): Promise<Map<string, Hex>> {
  const created = new Map<string, Hex>()
  const factory = pairOf(createDevAccounts().deployer.address, 0).factoryAddress.toLowerCase()
  for (let number = 1n; number <= (await dev.getBlockNumber()); number++) {
    const { transactions } = await dev.getBlock({ blockNumber: number, includeTransactions: true })
    for (const { to, input } of transactions) {
      if (to === factory) {
        const { functionName, args } = decodeFunctionData({ abi: deploymentFactoryAbi, data: input })
        if (functionName !== 'deploy') continue
        const [coreCode, setup, settlementCode] = args
        const [first, second] = [1n, 2n].map((nonce) => getContractAddress({ from: to, nonce })) as [Hex, Hex]
        created.set(first.toLowerCase(), encodeDeployData({ abi: serviceCoreAbi, bytecode: coreCode, args: [setup] }))
        const settlementCreation = { abi: serviceRfqSettlementAbi, bytecode: settlementCode, args: [first] } as const
        created.set(second.toLowerCase(), encodeDeployData(settlementCreation))
      } else if (to === PROXY.toLowerCase()) {
        const [salt, bytecode] = [slice(input, 0, 32), slice(input, 32)]
        created.set(getContractAddress({ opcode: 'CREATE2', from: PROXY, salt, bytecode }).toLowerCase(), bytecode)
      }
    }
  }
  return created
}

/** The compiler, where it is installed. */
function loadSolc(): { version: () => string; compile: (input: string) => string } | null {
  try {
    return createRequire(import.meta.url)(SOLC.pathname)
  } catch {
    return null
  }
}
