import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Finding } from '../../src/cli/doctor/check.ts'
import { createDevAccounts, type DevAccount } from '../../src/onchain/devnet/accounts.ts'
import { type Anvil, startAnvil } from '../../src/onchain/devnet/anvil.ts'
import { createDevClient, type DevClient } from '../../src/onchain/devnet/client.ts'
import { serviceCoreAbi, testUsdAbi } from '../../src/protocol/contracts/abi.ts'
import type { Address } from '../../src/protocol/domain/units.ts'
import type { RelayEnvironment } from '../../src/protocol/wire/environment.ts'
import { encodeEnvironment } from '../../src/protocol/wire/environment.ts'
import type { Environment } from '../../src/relay/config/sources.ts'
import { text } from '../kit/plays.ts'
import { httpServer } from '../kit/server.ts'
import { run, temporaryDir, temporaryDirOfFile } from './support.ts'

const accounts = createDevAccounts()
const [wallet, key, second] = accounts.makers.map(({ address }) => address) as [Address, Address, Address]
const owner = accounts.makers[0] as DevAccount

const cwd = temporaryDirOfFile()
let anvil: Anvil
let dev: DevClient
let former: Record<string, string>
let current: Record<string, string>

const settingsOf = (stdout: string): Record<string, string> =>
  Object.fromEntries(Object.entries(JSON.parse(stdout)).map(([name, value]) => [name, String(value)]))

beforeAll(async () => {
  anvil = await startAnvil({ port: 0, statePath: null, outlives: false })
  dev = createDevClient(anvil.rpcUrl)
  const deploy = (...flags: string[]) => run(['chain', 'deploy', '--rpc', anvil.rpcUrl, '--json', ...flags], { cwd })
  former = settingsOf((await deploy()).stdout)
  current = settingsOf((await deploy('--again')).stdout)
  writeFileSync(join(cwd, 'password'), 'a password of a test', { mode: 0o600 })
  await rfqctl('wallet import main --key-stdin', { stdin: owner.privateKey })
})
afterAll(() => anvil?.stop())

function rfqctl(line: string, { stdin = '', environment = {} as Environment, folder = cwd } = {}) {
  const all = { RFQCTL_KEYSTORE_PASSWORD_FILE: join(cwd, 'password'), PORT: '0', ...current, ...environment }
  return run(line.split(' '), { cwd: folder, environment: all, stdin })
}

/** What the doctor finds of approvals. */
async function findings(line = 'doctor', options: { environment?: Environment; folder?: string } = {}) {
  const { stdout } = await rfqctl(`${line} --json`, options)
  const all = (JSON.parse(stdout) as { findings: Finding[] }).findings
  return all.filter(({ check }) => check === 'approvals')
}

async function approveInventory(core: Address, settlement: Address): Promise<void> {
  const call = { address: core, abi: serviceCoreAbi, functionName: 'setApprovalForAll' } as const
  const hash = await dev.writeContract({ ...call, args: [settlement, true], account: wallet, chain: null })
  await dev.waitForTransactionReceipt({ hash })
}

test('approvals of our wallet to a pair that was deployed from here before are found, with the command that withdraws them', async () => {
  // The sandbox funds its makers with approvals of both pairs.
  const [core, settlement] = [former.CORE_ADDRESS, former.SETTLEMENT_ADDRESS] as [Address, Address]
  const limited = await rfqctl('maker approve --amount 25 --account main', { environment: former })
  expect(limited.code).toBe(0)
  await approveInventory(core, settlement)
  const authorized = await rfqctl(`maker authorize ${key} --for 30d --account main --yes`, { environment: former })
  expect(authorized.code).toBe(0)

  expect(await findings()).toEqual([
    {
      check: 'approvals',
      state: 'warning',
      found: `of main to former contracts (${settlement}): core draws without limit; settlement draws without limit; options are sold from inventory; keys that sign orders: ${key}`,
      fix: `rfqctl wallet revoke ${settlement} --account main`,
      exitCode: 0,
    },
  ])

  const unasked = await rfqctl(`wallet revoke ${settlement} --account main`)
  expect([unasked.code, unasked.stderr]).toEqual([expect.any(Number), expect.stringContaining('nothing was sent')])
  const batch = await rfqctl(`wallet revoke ${settlement} --account main --calldata --json`)
  expect(JSON.parse(batch.stdout).safe.transactions.map(({ to }: { to: Address }) => to)).toEqual([
    former.STABLECOIN_ADDRESS,
    former.STABLECOIN_ADDRESS,
    core,
    settlement,
  ])
  const revoked = await rfqctl('wallet revoke --account main --yes')
  expect([revoked.code, revoked.stderr]).toEqual([0, expect.stringContaining('4 approvals withdrawn')])
  expect(await findings()).toEqual([
    expect.objectContaining({ state: 'good', found: `no wallet here has any at former contracts (${settlement})` }),
  ])
  const again = await rfqctl(`wallet revoke ${settlement} --account main --yes`)
  expect(again.stderr).toContain(`${wallet} has approved nothing to ${settlement}`)

  // What it approved to the pair that is traded on is left alone.
  const token = { address: current.STABLECOIN_ADDRESS as Address, abi: testUsdAbi, functionName: 'allowance' } as const
  for (const spender of [current.CORE_ADDRESS, current.SETTLEMENT_ADDRESS]) {
    expect(await dev.readContract({ ...token, args: [wallet, spender as Address] })).toBeGreaterThan(0n)
  }
})

test('on another machine the setting names former pairs, and --account a wallet without a key there', async () => {
  const folder = temporaryDir()
  const line = `doctor --account ${second}`
  expect(await findings(line, { folder })).toEqual([])
  const settlement = former.SETTLEMENT_ADDRESS as string
  const environment = { FORMER_SETTLEMENT_ADDRESSES: `${settlement}, ${current.SETTLEMENT_ADDRESS}` }
  expect(await findings(line, { folder, environment })).toEqual([
    expect.objectContaining({
      state: 'warning',
      found: expect.stringContaining(`of ${second} to former contracts (${settlement}): core draws`),
      fix: `rfqctl wallet revoke ${settlement} --calldata --from ${second}`,
    }),
  ])
  const unknown = await rfqctl('wallet revoke --account main', { folder, environment: {} })
  expect(unknown.code).toBe(5)
})

test('a relay names them, too; addresses that are no such contract, and the pair that is traded on, count for nothing', async () => {
  const told: RelayEnvironment = {
    mode: 'onchain',
    chainId: 80_002,
    coreAddress: current.CORE_ADDRESS as Address,
    settlementAddress: current.SETTLEMENT_ADDRESS as Address,
    stablecoinAddress: current.STABLECOIN_ADDRESS as Address,
    chainTime: 0,
    faucet: null,
    relayerUrl: null,
    sandbox: false,
    commitProof: null,
    partnerFee: null,
    formerSettlementAddresses: [former.SETTLEMENT_ADDRESS, current.SETTLEMENT_ADDRESS, wallet, former.CORE_ADDRESS].map(
      (address) => `${address}`.toLowerCase() as Address,
    ),
    logKeys: [],
    explorerUrl: null,
    privateFields: [],
    twoSided: true,
  }
  const { url } = await httpServer(
    text(JSON.stringify(encodeEnvironment(told)), 200, { 'content-type': 'application/json' }),
  )
  const folder = temporaryDir()
  mkdirSync(join(folder, '.rfqctl'), { mode: 0o700 })
  const found = await findings(`doctor --url ${url} --account ${second}`, { folder })
  expect(found.map(({ state }) => state)).toEqual(['warning'])
  expect(found[0]?.found.toLowerCase()).toContain(`${former.SETTLEMENT_ADDRESS}`.toLowerCase())
})
