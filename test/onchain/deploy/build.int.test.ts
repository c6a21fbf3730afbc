import { createPublicClient, custom, type EIP1193RequestFn, type Hex, http, type PublicClient } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ContractName, readArtifact } from '../../../src/onchain/deploy/artifact.ts'
import { addressAt, type Blueprint } from '../../../src/onchain/deploy/blueprint.ts'
import { type BuildNews, build } from '../../../src/onchain/deploy/build.ts'
import { callOf, deploymentOf } from '../../../src/onchain/deploy/creation.ts'
import type { Deployment } from '../../../src/onchain/deploy/inspect.ts'
import { chainFaults, readBudget, WORK_GAS } from '../../../src/onchain/deploy/preflight.ts'
import { PROXY } from '../../../src/onchain/deploy/proxy.ts'
import { type DeploymentRecord, openRecord } from '../../../src/onchain/deploy/record.ts'
import { verifyDeployment } from '../../../src/onchain/deploy/verify.ts'
import { createDevAccounts } from '../../../src/onchain/devnet/accounts.ts'
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

/** The same deployer's choices on another chain. */
const OTHER: Blueprint = { ...BLUEPRINT, owner: addressAt(owner, 9), disputeWindow: 0, halter: null, tokenUri: '' }

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

/** Notes by core, as the tool keeps them. */
type Kept = { notes: Map<Address, DeploymentRecord> }

const nothing = (): Kept => ({ notes: new Map() })

/** One run of the tool, from what the former ones have kept. */
async function deploy(
  kept: Kept,
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
  const load = (core: Address) => kept.notes.get(core) ?? null
  return build({
    client,
    account,
    record: await openRecord(client, { blueprint, load, again }),
    keep: (record) => {
      onKeep()
      kept.notes.set(record.deployment.coreAddress, record)
    },
    patienceMs: options.patienceMs ?? 60_000,
    onNews: (news) => options.news?.push(news),
  })
}

const sent = () => dev.getTransactionCount({ address: account.address })
const faultsOf = (deployment: Deployment, blueprint = BLUEPRINT) =>
  verifyDeployment(clientOf(), { blueprint, deployment })

describe('a deployment', () => {
  it('creates the contracts in three transactions that hold every check, at addresses that are known before', async () => {
    const news: BuildNews[] = []
    const planned = deploymentOf({ blueprint: BLUEPRINT, salt: 0 })
    const deployment = await deploy(nothing(), { news })
    expect({ ...deployment, factoryAddress: planned.factoryAddress }).toEqual(planned)
    expect(await faultsOf(deployment)).toEqual([])
    expect(await sent()).toBe(3)
    const { stablecoinAddress, factoryAddress, coreAddress, settlementAddress } = planned
    expect(news.flatMap((mined) => (mined.kind === 'mined' ? [[mined.work, mined.addresses]] : []))).toEqual([
      ['stablecoin', [stablecoinAddress]],
      ['factory', [factoryAddress]],
      ['pair', [coreAddress, settlementAddress]],
    ])
  })

  it('costs about what is set aside for it, and fits into a transaction of EIP-7825', async () => {
    const news: BuildNews[] = []
    await deploy(nothing(), { news })
    for (const mined of news) {
      if (mined.kind !== 'mined') continue
      const most = Number(WORK_GAS[mined.work])
      expect(Number(mined.gasUsed)).toBeGreaterThan(most * 0.75)
      expect(Number(mined.gasUsed)).toBeLessThan(most * 0.95)
      // The margin of the limit is a fifth.
      expect(Number(mined.gasUsed) * 1.2).toBeLessThan(2 ** 24)
    }
  })

  it('has the same addresses whatever was sent before, and whatever stablecoin, roles and window are chosen', async () => {
    const first = await deploy(nothing())
    await dev.revert({ id: snapshot })
    snapshot = await dev.snapshot()
    await sendNothing(3)
    const { stablecoinAddress } = await deploy(nothing(), { blueprint: OTHER })
    const blueprint: Blueprint = { ...OTHER, stablecoin: { kind: 'existing', address: stablecoinAddress } }
    const deployment = await deploy(nothing(), { blueprint })
    expect(deployment).toEqual({ ...first, stablecoinAddress })
    expect(stablecoinAddress).not.toBe(first.stablecoinAddress)
    expect(await faultsOf(deployment, blueprint)).toEqual([])
  })

  it('has other addresses where its deployer is another', () => {
    const addresses = (deployer: Address, salt: number) =>
      Object.values(deploymentOf({ blueprint: { ...BLUEPRINT, deployer }, salt }))
    const all = [...addresses(account.address, 0), ...addresses(account.address, 1), ...addresses(owner, 0)]
    // A stablecoin does not know its deployer.
    expect(new Set(all).size).toBe(11)
  })

  it('goes around a factory that a stranger had made before', async () => {
    const stranger = createDevAccounts().takers[0]?.address as Address
    const call = callOf('factory', { blueprint: BLUEPRINT, salt: 0 })
    await mined(await dev.sendTransaction({ account: stranger, chain: null, ...call }))
    const deployment = await deploy(nothing())
    expect([await faultsOf(deployment), await sent()]).toEqual([[], 2])
  })

  it('continues where a stranger makes the factory in the same block', async () => {
    const stranger = createDevAccounts().takers[0]?.address as Address
    const call = callOf('factory', { blueprint: BLUEPRINT, salt: 0 })
    let sends = 0
    const client = clientOf()
    const raced: PublicClient = {
      ...client,
      sendRawTransaction: async (input) => {
        sends += 1
        if (sends === 2) await mined(await dev.sendTransaction({ account: stranger, chain: null, ...call }))
        return client.sendRawTransaction(input)
      },
    }
    const deployment = await deploy(nothing(), { client: raced })
    expect([await faultsOf(deployment), await sent(), sends]).toEqual([[], 3, 3])
  })

  it('does nothing more when it is asked again, with its record and without it', async () => {
    const kept = nothing()
    const first = await deploy(kept)
    expect(await deploy(kept)).toEqual(first)
    expect(await deploy(nothing())).toEqual(first)
    expect(await faultsOf(first)).toEqual([])
    expect(await sent()).toBe(3)
  })

  it('uses a stablecoin that exists, and keeps the core with the deployer by default', async () => {
    const { stablecoinAddress } = await deploy(nothing())
    const blueprint: Blueprint = {
      ...BLUEPRINT,
      owner: account.address,
      stablecoin: { kind: 'existing', address: stablecoinAddress },
    }
    const deployment = await deploy(nothing(), { blueprint, again: true })
    expect(deployment.stablecoinAddress).toBe(stablecoinAddress)
    expect(await faultsOf(deployment, blueprint)).toEqual([])
    expect(await sent()).toBe(5)
  })

  it('is not made a second time with other choices, but is on request', async () => {
    const kept = nothing()
    const first = await deploy(kept)
    const blueprint = { ...BLUEPRINT, resolutionSigner: addressAt(owner, 7) }
    await expect(deploy(kept, { blueprint })).rejects.toMatchObject({
      fault: 'different',
      why: [`the resolution signer was ${BLUEPRINT.resolutionSigner} and is now ${blueprint.resolutionSigner}`],
    })
    // Without its note the contracts are found, and the check says what is not as planned.
    const adopted = await deploy(nothing(), { blueprint })
    expect(adopted).toEqual(first)
    expect(await faultsOf(adopted, blueprint)).toEqual([expect.stringContaining('the resolution signer is')])
    expect(await sent()).toBe(3)
    const second = await deploy(kept, { blueprint, again: true })
    expect(second.coreAddress).not.toBe(first.coreAddress)
    expect(await faultsOf(second, blueprint)).toEqual([])
    expect(await deploy(kept, { blueprint })).toEqual(second)
    expect(await deploy(nothing(), { blueprint })).toEqual(second)
    expect(await sent()).toBe(6)
  })

  it('forgets what it kept of another chain of the same id', async () => {
    const kept = nothing()
    const { coreAddress } = await deploy(kept)
    await dev.revert({ id: snapshot })
    snapshot = await dev.snapshot()
    const old = kept.notes.get(coreAddress) as DeploymentRecord
    kept.notes.set(coreAddress, { ...old, genesis: `0x${'00'.repeat(32)}`, blueprint: OTHER })
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
async function runUntil(kept: Kept, { work, when }: Moment): Promise<void> {
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
    const kept = nothing()
    await runUntil(kept, moment)
    const deployment = await deploy(kept)
    expect([await sent(), await faultsOf(deployment)]).toEqual([3, []])
  })

  it.each([1, 2, 3])(
    'after transaction %i and has lost its record is gone on with by what the chain shows',
    async (work) => {
      await runUntil(nothing(), { work, when: 'after it was sent' })
      const deployment = await deploy(nothing())
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
    const kept = nothing()
    await expect(deploy(kept, { patienceMs: 20 })).rejects.toMatchObject({ fault: 'unmined' })
    await expect(deploy(kept, { patienceMs: 20 })).rejects.toMatchObject({ fault: 'unmined' })
    const [{ sent: sentWorks } = { sent: [] }] = kept.notes.values()
    const [first, second] = sentWorks
    expect([first?.nonce, second?.nonce, sentWorks.length]).toEqual([0, 0, 2])
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
    expect(await faultsOf(await deploy(nothing(), { client: lagging as PublicClient }))).toEqual([])
    expect(await sent()).toBe(3)
  })

  it('does not send beside transactions that it does not know', async () => {
    await dev.setBalance({ address: account.address, value: 10n ** 18n })
    await sendNothing(1, { waits: false })
    await expect(deploy(nothing())).rejects.toMatchObject({
      fault: 'busy',
      message: expect.stringContaining('has 1 pending transaction'),
    })
  })
})

describe('a deployment that failed on the way', () => {
  it('between its steps is gone on with, whatever the deployer has sent since', async () => {
    let sends = 0
    const client = clientOf((method, when) => {
      if (method === 'eth_sendRawTransaction' && when === 'before' && ++sends === 3) throw KILL
    })
    const kept = nothing()
    await expect(deploy(kept, { client })).rejects.toThrow('killed')
    await sendNothing(1)
    expect(await faultsOf(await deploy(kept))).toEqual([])
    expect(await sent()).toBe(4)
  })

  it('by a transaction that reverted names it, leaves neither contract, and continues at the same addresses', async () => {
    const kept = nothing()
    const client = clientOf()
    const estimate = client.estimateGas
    const stingy = {
      ...client,
      estimateGas: async (call: { to?: Address }) => (call.to === PROXY ? estimate(call as never) : 7_000_000n),
    }
    await expect(deploy(kept, { client: stingy as never })).rejects.toMatchObject({
      fault: 'reverted',
      message: expect.stringMatching(/^transaction 0x[0-9a-f]{64} \(pair\) was mined and reverted$/),
    })
    const { coreAddress } = deploymentOf({ blueprint: BLUEPRINT, salt: 0 })
    expect(await dev.getCode({ address: coreAddress })).toBeUndefined()
    const deployment = await deploy(kept)
    expect(deployment.coreAddress).toBe(coreAddress)
    expect(await faultsOf(deployment)).toEqual([])
    expect(await sent()).toBe(4)
  })
})

describe('before anything is sent', () => {
  it('a stablecoin that cannot serve is refused', async () => {
    const faults = (address: Address) =>
      chainFaults(clientOf(), { ...BLUEPRINT, stablecoin: { kind: 'existing', address } })
    const { stablecoinAddress, coreAddress } = await deploy(nothing())
    expect(await faults(owner)).toEqual([`there is no contract at the stablecoin ${owner}`])
    expect(await faults(coreAddress)).toEqual([
      `the stablecoin ${coreAddress} does not report its decimals; it must have 6`,
    ])
    expect(await faults(stablecoinAddress)).toEqual([])
    // Answers 18 to everything.
    await dev.setCode({ address: owner, bytecode: '0x601260005260206000f3' })
    expect(await faults(owner)).toEqual([`the stablecoin ${owner} has 18 decimals; it must have 6`])
  })

  it('a chain without the deployment proxy is refused', async () => {
    const faults = () => chainFaults(clientOf(), BLUEPRINT)
    expect(await faults()).toEqual([])
    const lacking = `this chain lacks the deterministic deployment proxy ${PROXY}`
    await dev.setCode({ address: PROXY, bytecode: '0x' })
    expect(await faults()).toEqual([lacking])
    await dev.setCode({ address: PROXY, bytecode: '0x601260005260206000f3' })
    expect(await faults()).toEqual([lacking])
  })

  it('a chain of older rules is refused', async () => {
    const client = { ...clientOf(), call: () => Promise.reject(new Error('invalid opcode')) }
    expect(await chainFaults(client as never, BLUEPRINT)).toEqual([expect.stringContaining('Cancun')])
  })

  it('the cost at the fees of now is set against what the deployer holds', async () => {
    const work = ['factory', 'pair'] as const
    const { gas, cost, balance } = await readBudget(clientOf(), { blueprint: BLUEPRINT, work })
    expect(gas).toBe(WORK_GAS.factory + WORK_GAS.pair)
    expect(balance).toBe(10n ** 18n)
    expect(cost).toBeGreaterThan(gas)
  })
})

describe('a check of the address finds', () => {
  it('code, links, domains and roles that are not as planned', async () => {
    const deployment = await deploy(nothing())
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
    const deployment = await deploy(nothing())
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
