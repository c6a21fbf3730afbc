import { createPublicClient, custom, type EIP1193RequestFn, type Hex, http, type PublicClient } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ContractName, readArtifact } from '../../../src/onchain/deploy/artifact.ts'
import { addressAt, type Blueprint } from '../../../src/onchain/deploy/blueprint.ts'
import { type BuildNews, build } from '../../../src/onchain/deploy/build.ts'
import type { Deployment } from '../../../src/onchain/deploy/inspect.ts'
import { chainFaults, readBudget, WORK_GAS } from '../../../src/onchain/deploy/preflight.ts'
import { type DeploymentRecord, openRecord } from '../../../src/onchain/deploy/record.ts'
import { verifyDeployment } from '../../../src/onchain/deploy/verify.ts'
import { type Anvil, startAnvil } from '../../../src/onchain/devnet/anvil.ts'
import { createDevClient, type DevClient } from '../../../src/onchain/devnet/client.ts'
import type { Address } from '../../../src/protocol/domain/units.ts'

const account = privateKeyToAccount(`0x${'d1'.repeat(32)}`)
const owner = privateKeyToAccount(`0x${'d2'.repeat(32)}`).address
const BLUEPRINT: Blueprint = {
  chainId: 80_002,
  deployer: account.address,
  owner,
  registrar: owner,
  guardian: privateKeyToAccount(`0x${'d5'.repeat(32)}`).address,
  halter: privateKeyToAccount(`0x${'d7'.repeat(32)}`).address,
  resolutionSigner: privateKeyToAccount(`0x${'d3'.repeat(32)}`).address,
  tradingCutoff: 1_800,
  disputeWindow: 7_200,
  conditionalTokens: privateKeyToAccount(`0x${'d6'.repeat(32)}`).address,
  stablecoin: { kind: 'test', minter: privateKeyToAccount(`0x${'d4'.repeat(32)}`).address },
  tokenUri: 'https://options.example/{id}',
}

let anvil: Anvil
let dev: DevClient
let snapshot: Hex

beforeAll(async () => {
  anvil = await startAnvil({ port: 0, statePath: null, outlives: false })
  dev = createDevClient(anvil.rpcUrl)
  await dev.setBalance({ address: account.address, value: 10n ** 18n })
})
afterAll(() => anvil?.stop())
beforeEach(async () => {
  snapshot = await dev.snapshot()
})
afterEach(async () => {
  // What waits for a block outlives a revert, and would be mined into the next test.
  await dev.request({ method: 'anvil_dropAllTransactions' } as never)
  await dev.setAutomine(true)
  await dev.revert({ id: snapshot })
})

/** A client of the chain; `onRequest` hears of each request before it is sent, and after it was answered. */
function clientOf(onRequest: (method: string, moment: 'before' | 'after') => void = () => {}): PublicClient {
  const { request } = http(anvil.rpcUrl)({ retryCount: 0 })
  const transport = custom(
    {
      async request(call) {
        onRequest(call.method, 'before')
        const answer = await (request as EIP1193RequestFn)(call)
        onRequest(call.method, 'after')
        return answer
      },
    },
    { retryCount: 0 },
  )
  return createPublicClient({ transport, pollingInterval: 5 }) as PublicClient
}

/** One run of the tool, from what the former ones have kept. */
async function deploy(
  kept: { record: DeploymentRecord | null },
  options: {
    client?: PublicClient
    blueprint?: Blueprint
    again?: boolean
    patienceMs?: number
    onKeep?: () => void
    news?: BuildNews[]
  } = {},
): Promise<Deployment> {
  const { client = clientOf(), blueprint = BLUEPRINT, again = false, onKeep = () => {} } = options
  kept.record = await openRecord(client, { blueprint, former: kept.record, again })
  return build({
    client,
    account,
    record: kept.record,
    keep: (record) => {
      onKeep()
      kept.record = record
    },
    patienceMs: options.patienceMs ?? 60_000,
    onNews: (news) => options.news?.push(news),
  })
}

const sent = () => dev.getTransactionCount({ address: account.address })
const faultsOf = (deployment: Deployment, blueprint = BLUEPRINT) =>
  verifyDeployment(clientOf(), { blueprint, deployment })

describe('a deployment', () => {
  it('creates the three contracts in three transactions that hold every check', async () => {
    const news: BuildNews[] = []
    const deployment = await deploy({ record: null }, { news })
    expect(deployment).toEqual({
      stablecoinAddress: addressAt(account.address, 0),
      coreAddress: addressAt(account.address, 1),
      settlementAddress: addressAt(account.address, 2),
    })
    expect(await faultsOf(deployment)).toEqual([])
    expect(await sent()).toBe(3)
    for (const mined of news) {
      if (mined.kind !== 'mined') continue
      const most = Number(WORK_GAS[mined.work])
      expect(Number(mined.gasUsed)).toBeGreaterThan(most * 0.75)
      expect(Number(mined.gasUsed)).toBeLessThan(most * 0.95)
    }
    expect(news.filter(({ kind }) => kind === 'mined').map(({ work }) => work)).toEqual([
      'stablecoin',
      'core',
      'settlement',
    ])
  })

  it('predicts from the nonce that the deployer really has', async () => {
    await sendNothing(3)
    const deployment = await deploy({ record: null })
    expect(deployment.settlementAddress).toBe(addressAt(account.address, 5))
    expect(await faultsOf(deployment)).toEqual([])
  })

  it('does nothing more when it is asked again, with its record and without it', async () => {
    const kept = { record: null }
    const first = await deploy(kept)
    expect(await deploy(kept)).toEqual(first)
    expect(await deploy({ record: null })).toEqual(first)
    expect(await faultsOf(first)).toEqual([])
    expect(await sent()).toBe(3)
  })

  it('uses a stablecoin that exists, and keeps the core with the deployer by default', async () => {
    const { stablecoinAddress } = await deploy({ record: null })
    const blueprint: Blueprint = {
      ...BLUEPRINT,
      owner: account.address,
      stablecoin: { kind: 'existing', address: stablecoinAddress },
    }
    const deployment = await deploy({ record: null }, { blueprint, again: true })
    expect(deployment.stablecoinAddress).toBe(stablecoinAddress)
    expect(await faultsOf(deployment, blueprint)).toEqual([])
    expect(await sent()).toBe(5)
  })

  it('is not made a second time with other choices, but is on request', async () => {
    const kept = { record: null }
    const first = await deploy(kept)
    const blueprint = { ...BLUEPRINT, resolutionSigner: addressAt(owner, 7) }
    await expect(deploy(kept, { blueprint })).rejects.toMatchObject({
      fault: 'different',
      why: [`the resolution signer was ${BLUEPRINT.resolutionSigner} and is now ${blueprint.resolutionSigner}`],
    })
    const other = { ...BLUEPRINT, stablecoin: { kind: 'existing' as const, address: first.stablecoinAddress } }
    await expect(
      deploy({ record: null }, { blueprint: { ...other, stablecoin: { kind: 'existing', address: owner } } }),
    ).rejects.toMatchObject({ fault: 'stuck' })
    expect(await sent()).toBe(3)
    const second = await deploy(kept, { blueprint, again: true })
    expect(second.coreAddress).not.toBe(first.coreAddress)
    expect(await faultsOf(second, blueprint)).toEqual([])
    expect(await deploy(kept, { blueprint })).toEqual(second)
    expect(await sent()).toBe(6)
  })

  it('forgets what it kept of another chain of the same id', async () => {
    const kept: { record: DeploymentRecord | null } = { record: null }
    await deploy(kept)
    await dev.revert({ id: snapshot })
    snapshot = await dev.snapshot()
    const old = kept.record as DeploymentRecord | null
    kept.record = old === null ? null : { ...old, genesis: `0x${'00'.repeat(32)}`, fromNonce: 400 }
    expect(await faultsOf(await deploy(kept))).toEqual([])
    expect(await sent()).toBe(3)
  })
})

/** What is thrown where a process would be killed. */
const KILL = new Error('killed')

/** A moment after which something outside is different: the record, or what the node has. Between two all are alike. */
type Moment = { work: number; when: 'before it is noted' | 'before it is sent' | 'after it was sent' }

const MOMENTS: Moment[] = [1, 2, 3].flatMap((work) =>
  (['before it is noted', 'before it is sent', 'after it was sent'] as const).map((when) => ({ work, when })),
)

/** Runs the tool until it is killed at a moment, after which it does nothing more. */
async function runUntil(kept: { record: DeploymentRecord | null }, { work, when }: Moment): Promise<void> {
  let works = 0
  let isDead = false
  const pass = (moment: Moment['when']) => {
    isDead ||= works === work && moment === when
    if (isDead) throw KILL
  }
  const client = clientOf((method, side) => {
    if (isDead) throw KILL
    if (method === 'eth_sendRawTransaction') pass(side === 'before' ? 'before it is sent' : 'after it was sent')
  })
  const onKeep = () => {
    works += 1
    pass('before it is noted')
  }
  await expect(deploy(kept, { client, onKeep })).rejects.toThrow('killed')
}

describe('a deployment that is killed', () => {
  it.each(MOMENTS)('at transaction $work $when is gone on with, and nothing is made twice', async (moment) => {
    const kept = { record: null }
    await runUntil(kept, moment)
    const deployment = await deploy(kept)
    expect([await sent(), await faultsOf(deployment)]).toEqual([3, []])
  })

  it.each([1, 2, 3])(
    'after transaction %i and has lost its record is gone on with by what the chain shows',
    async (work) => {
      await runUntil({ record: null }, { work, when: 'after it was sent' })
      const deployment = await deploy({ record: null })
      expect([await sent(), await faultsOf(deployment)]).toEqual([3, []])
    },
  )
})

describe('a deployment on a slow chain', () => {
  beforeEach(async () => {
    await dev.setAutomine(false)
    await dev.setIntervalMining({ interval: 0 })
  })

  it('that gave up waiting is gone on with, and what still waits is sent again with a higher fee', async () => {
    const kept: { record: DeploymentRecord | null } = { record: null }
    await expect(deploy(kept, { patienceMs: 20 })).rejects.toMatchObject({ fault: 'unmined' })
    await expect(deploy(kept, { patienceMs: 20 })).rejects.toMatchObject({ fault: 'unmined' })
    const [first, second] = kept.record?.sent ?? []
    expect([first?.nonce, second?.nonce, kept.record?.sent.length]).toEqual([0, 0, 2])
    expect(BigInt(second?.maxFeePerGas ?? 0)).toBeGreaterThan((BigInt(first?.maxFeePerGas ?? 0) * 11n) / 10n)
    await dev.setAutomine(true)
    await dev.mine({ blocks: 1 })
    expect(await faultsOf(await deploy(kept))).toEqual([])
    expect(await sent()).toBe(3)
  })

  it('is not misled by a node that lags a block behind the one that it asked before', async () => {
    await dev.setAutomine(true)
    await dev.mine({ blocks: 2 })
    const lagging = { ...clientOf(), getBlockNumber: async () => (await dev.getBlockNumber({ cacheTime: 0 })) - 1n }
    expect(await faultsOf(await deploy({ record: null }, { client: lagging as PublicClient }))).toEqual([])
    expect(await sent()).toBe(3)
  })

  it('does not send beside transactions that it does not know', async () => {
    await dev.setBalance({ address: account.address, value: 10n ** 18n })
    await sendNothing(1, { waits: false })
    await expect(deploy({ record: null })).rejects.toMatchObject({
      fault: 'busy',
      message: expect.stringContaining('has 1 pending transaction'),
    })
  })
})

describe('a deployment whose place was taken', () => {
  it('between core and settlement cannot be finished, and says so; a new one can be made', async () => {
    let sends = 0
    const client = clientOf((method, when) => {
      if (method === 'eth_sendRawTransaction' && when === 'before' && ++sends === 3) throw KILL
    })
    const kept = { record: null }
    await expect(deploy(kept, { client })).rejects.toThrow('killed')
    await sendNothing(1)
    await expect(deploy(kept)).rejects.toMatchObject({ fault: 'stuck' })
    expect(await sent()).toBe(3)
    expect(await faultsOf(await deploy(kept, { again: true }))).toEqual([])
    expect(await sent()).toBe(6)
  })

  it('by a transaction that failed names it, and continues at the next nonce', async () => {
    const kept = { record: null }
    const client = clientOf()
    const estimate = client.estimateGas
    let calls = 0
    const stingy = { ...client, estimateGas: async (call: never) => (++calls === 2 ? 1_000_000n : estimate(call)) }
    await expect(deploy(kept, { client: stingy as never })).rejects.toMatchObject({
      fault: 'reverted',
      message: expect.stringMatching(/^transaction 0x[0-9a-f]{64} \(core\) was mined and reverted$/),
    })
    const deployment = await deploy(kept)
    expect(deployment.coreAddress).toBe(addressAt(account.address, 2))
    expect(await faultsOf(deployment)).toEqual([])
  })
})

describe('before anything is sent', () => {
  it('a stablecoin that cannot serve is refused', async () => {
    const faults = (address: Address) =>
      chainFaults(clientOf(), { ...BLUEPRINT, stablecoin: { kind: 'existing', address } })
    const { stablecoinAddress, coreAddress } = await deploy({ record: null })
    expect(await faults(owner)).toEqual([`there is no contract at the stablecoin ${owner}`])
    expect(await faults(coreAddress)).toEqual([
      `the stablecoin ${coreAddress} does not report its decimals; it must have 6`,
    ])
    expect(await faults(stablecoinAddress)).toEqual([])
    // Answers 18 to everything.
    await dev.setCode({ address: owner, bytecode: '0x601260005260206000f3' })
    expect(await faults(owner)).toEqual([`the stablecoin ${owner} has 18 decimals; it must have 6`])
  })

  it('a chain of older rules is refused', async () => {
    const client = { ...clientOf(), call: () => Promise.reject(new Error('invalid opcode')) }
    expect(await chainFaults(client as never, BLUEPRINT)).toEqual([expect.stringContaining('Cancun')])
  })

  it('the cost at the fees of now is set against what the deployer holds', async () => {
    const work = ['core', 'settlement'] as const
    const { gas, cost, balance } = await readBudget(clientOf(), { blueprint: BLUEPRINT, work })
    expect(gas).toBe(WORK_GAS.core + WORK_GAS.settlement)
    expect(balance).toBe(10n ** 18n)
    expect(cost).toBeGreaterThan(gas)
  })
})

describe('a check of the address finds', () => {
  it('code, links, domains and roles that are not as planned', async () => {
    const deployment = await deploy({ record: null })
    const { coreAddress, settlementAddress, stablecoinAddress } = deployment
    const check = (change: Partial<Blueprint>, at: Partial<Deployment> = {}) =>
      faultsOf({ ...deployment, ...at }, { ...BLUEPRINT, ...change })
    expect(await check({}, { coreAddress: settlementAddress })).toEqual([
      `the code at ${settlementAddress} is not ServiceCore`,
    ])
    expect(await check({ guardian: owner, registrar: coreAddress })).toEqual([
      `the guardian is ${BLUEPRINT.guardian}, not ${owner}`,
      `the registrar is ${owner}, not ${coreAddress}`,
    ])
    expect(await check({ disputeWindow: 0, conditionalTokens: null })).toEqual([
      'the dispute window is 7200 s, not 0 s',
      `the conditional-token contract is ${BLUEPRINT.conditionalTokens}`,
    ])
    expect(await check({ owner: coreAddress })).toEqual([
      `the owner is ${owner}, not ${coreAddress}`,
      `the owner ${coreAddress} may not name minters`,
    ])
    expect(await check({ resolutionSigner: owner })).toEqual([expect.stringContaining(`not ${owner}`)])
    expect(await check({ stablecoin: { kind: 'test', minter: owner } })).toEqual([`the faucet ${owner} may not mint`])
    expect(await check({ tokenUri: '' })).toEqual(['the token URI differs'])
    expect(await check({ chainId: 1 })).toEqual(['the node serves chain 80002, not chain 1'])
    expect(await check({ stablecoin: { kind: 'existing', address: stablecoinAddress } })).toEqual([])
    const code = (await dev.getCode({ address: stablecoinAddress })) as Hex
    await dev.setCode({ address: stablecoinAddress, bytecode: `${code.slice(0, -2)}00` as Hex })
    expect(await check({})).toEqual([`the code at ${stablecoinAddress} is not TestUSD`])
  })

  it('immutables with which the contracts would hash for another chain, or pay from another core', async () => {
    const deployment = await deploy({ record: null })
    const { coreAddress, settlementAddress, stablecoinAddress } = deployment
    await alter('ServiceRFQSettlement', settlementAddress, '_core')
    expect(await faultsOf(deployment)).toEqual([
      expect.stringContaining(`the code at ${settlementAddress}: its immutable _core at byte `),
    ])
    await alter('ServiceRFQSettlement', settlementAddress, '_cachedChainId')
    await alter('ServiceCore', coreAddress, '_cachedDomainSeparator')
    await alter('TestUSD', stablecoinAddress, '_cachedThis')
    expect(await faultsOf(deployment)).toEqual([
      'the stablecoin signs permits for another chain or address',
      'the core hashes attestations for another chain or address',
      'the settlement hashes orders for another chain or address',
    ])
  })
})

/** Puts another word at the last place of an immutable, which no getter reads. */
async function alter(name: ContractName, address: Address, immutable: string): Promise<void> {
  const start = readArtifact(name).immutableReferences[immutable]?.at(-1)?.start ?? 0
  const code = (await dev.getCode({ address })) as Hex
  const at = 2 + start * 2
  await dev.setCode({ address, bytecode: `${code.slice(0, at)}${'00'.repeat(31)}01${code.slice(at + 64)}` as Hex })
}

const mined = (hash: Hex) => dev.waitForTransactionReceipt({ hash })

async function sendNothing(count: number, { waits = true } = {}): Promise<void> {
  const first = await sent()
  for (let nonce = first; nonce < first + count; nonce += 1) {
    const signed = await account.signTransaction({
      to: privateKeyToAccount(generatePrivateKey()).address,
      chainId: 80_002,
      type: 'eip1559',
      nonce,
      gas: 21_000n,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
    })
    const hash = await dev.sendRawTransaction({ serializedTransaction: signed })
    if (waits) await mined(hash)
  }
}
