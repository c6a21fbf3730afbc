import { custom, type Hex, http, parseGwei, type Transport } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createFeeBumpingWallet, type FeeBumping, type SendBounds } from '../../src/client/fee-bumping-wallet.ts'
import { connectSigner } from '../../src/client/signer.ts'
import type { Wallet } from '../../src/client/wallet.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createDevClient, type DevClient } from '../../src/onchain/devnet/client.ts'
import { type Devnet, startDevnet } from '../../src/onchain/devnet/start.ts'
import { testUsdAbi } from '../../src/protocol/contracts/abi.ts'
import type { Address } from '../../src/protocol/domain/units.ts'
import { eventually } from '../kit/eventually.ts'
import { createFakeWallet } from './fake-wallet.ts'

const SPENDER: Address = '0x000000000000000000000000000000000000dEaD'
const QUICK: FeeBumping = { waitMs: 50, sends: 20 }

describe('a pushing wallet', () => {
  let devnet: Devnet
  let client: DevClient
  let next = 0
  let key: Hex
  let owner: Address

  beforeAll(async () => {
    devnet = await startDevnet({ dataDir: null, port: 0, seriesAt: () => [] })
    client = createDevClient(devnet.rpcUrl)
  })
  afterAll(() => devnet.stop())
  /** An account of its own for each test: what one leaves waiting must not block the next. */
  beforeEach(async () => {
    next += 1
    key = `0x${String(next).padStart(64, '5')}`
    owner = privateKeyToAccount(key).address
    await client.setBalance({ address: owner, value: 10n ** 18n })
    await setMining(true)
  })

  async function setMining(on: boolean): Promise<void> {
    await client.setIntervalMining({ interval: 0 })
    await client.setAutomine(on)
  }

  const open = ({
    transport = http(devnet.rpcUrl),
    feeBumping = QUICK,
    bounds,
  }: {
    transport?: Transport
    feeBumping?: FeeBumping
    bounds?: SendBounds
  } = {}): Wallet =>
    createFeeBumpingWallet({
      account: privateKeyToAccount(key),
      setup: { ...devnet.deployment, chainId: devnet.chainId, transport, pollingIntervalMs: 10 },
      clock: systemClock,
      feeBumping,
      ...(bounds === undefined ? {} : { bounds }),
    })
  const approve = (wallet: Wallet, amount: bigint, signal?: AbortSignal) =>
    wallet.write(
      {
        address: devnet.deployment.stablecoinAddress,
        abi: testUsdAbi,
        functionName: 'approve',
        args: [SPENDER, amount],
      },
      signal,
    )
  const approved = () =>
    client.readContract({
      address: devnet.deployment.stablecoinAddress,
      abi: testUsdAbi,
      functionName: 'allowance',
      args: [owner, SPENDER],
    })
  const waiting = async () =>
    Object.values((await client.getTxpoolContent()).pending[owner.toLowerCase() as Address] ?? {})

  it('sends a transaction and returns its receipt', async () => {
    expect(await approve(open(), 7n)).toMatchObject({ status: 'success' })
    expect(await approved()).toBe(7n)
  })

  it('sends one after the other, also when asked for many at once', async () => {
    const wallet = open()
    await Promise.all([1n, 2n, 3n, 4n].map((amount) => approve(wallet, amount)))
    expect(await approved()).toBe(4n)
    expect(await client.getTransactionCount({ address: owner })).toBe(4)
  })

  it('raises the fee of what is not mined, and never spends a second nonce on it', async () => {
    await setMining(false)
    const sent = approve(open(), 7n)
    await eventually(async () => (await waiting()).length > 0)
    const [first] = await waiting()
    const raised = async () => (await waiting())[0]?.maxFeePerGas !== first?.maxFeePerGas
    await eventually(raised)
    const [second] = await waiting()
    expect(await waiting()).toHaveLength(1)
    expect(BigInt(second?.maxFeePerGas ?? 0)).toBeGreaterThan((BigInt(first?.maxFeePerGas ?? 0) * 110n) / 100n)
    expect(second?.nonce).toBe(first?.nonce)
    await setMining(true)
    await client.mine({ blocks: 1 })
    expect((await sent).status).toBe('success')
    expect(await client.getTransactionCount({ address: owner })).toBe(1)
  })

  it('has an injected wallet send again, with the same nonce and a higher fee', async () => {
    const { provider } = createFakeWallet({
      account: privateKeyToAccount(key),
      chainId: devnet.chainId,
      node: client.request as never,
    })
    const setup = { ...devnet.deployment, chainId: devnet.chainId, pollingIntervalMs: 10 }
    const account = await connectSigner(provider, setup)
    const wallet = createFeeBumpingWallet({ account, setup, clock: systemClock, feeBumping: QUICK })
    await setMining(false)
    const sent = approve(wallet, 7n)
    await eventually(async () => (await waiting()).length > 0)
    const [first] = await waiting()
    await eventually(async () => (await waiting())[0]?.maxFeePerGas !== first?.maxFeePerGas)
    expect(await waiting()).toMatchObject([{ nonce: first?.nonce }])
    await setMining(true)
    await client.mine({ blocks: 1 })
    expect((await sent).status).toBe('success')
    expect(await client.getTransactionCount({ address: owner })).toBe(1)
  })

  it('stops where the owner of an injected wallet rejects', async () => {
    const injected = createFakeWallet({
      account: privateKeyToAccount(key),
      chainId: devnet.chainId,
      node: client.request as never,
    })
    const setup = { ...devnet.deployment, chainId: devnet.chainId, pollingIntervalMs: 10 }
    const account = await connectSigner(injected.provider, setup)
    injected.answers = 'rejects'
    const wallet = createFeeBumpingWallet({ account, setup, clock: systemClock, feeBumping: QUICK })
    await expect(approve(wallet, 7n)).rejects.toMatchObject({ code: 'wallet_rejected' })
    expect(injected.asked.filter((method) => method === 'eth_sendTransaction')).toHaveLength(1)
  })

  it('gives up after so many tries, and says what it sent', async () => {
    await setMining(false)
    const fault = await approve(open({ feeBumping: { waitMs: 30, sends: 2 } }), 7n).catch((error: unknown) => error)
    expect(fault).toMatchObject({ name: 'TransactionUnminedError', hashes: [expect.any(String), expect.any(String)] })
  })

  it('ends what a former process left waiting, by taking its nonce', async () => {
    await setMining(false)
    await approve(open({ feeBumping: { waitMs: 30, sends: 1 } }), 1n).catch(() => {})
    expect(await waiting()).toHaveLength(1)
    const sent = approve(open(), 2n)
    const isReplaced = async () => BigInt((await waiting())[0]?.input.slice(-64).replace(/^/, '0x') ?? 0) === 2n
    await eventually(isReplaced)
    await setMining(true)
    await client.mine({ blocks: 1 })
    await sent
    expect(await approved()).toBe(2n)
    expect(await client.getTransactionCount({ address: owner })).toBe(1)
  })

  it('tells when something else took its nonce', async () => {
    await setMining(false)
    const sent = approve(open(), 7n).catch((error: unknown) => error)
    await eventually(async () => (await waiting()).length > 0)
    const other = await privateKeyToAccount(key).signTransaction({
      chainId: devnet.chainId,
      nonce: 0,
      gas: 21_000n,
      to: SPENDER,
      maxFeePerGas: parseGwei('900'),
      maxPriorityFeePerGas: parseGwei('900'),
    })
    await client.sendRawTransaction({ serializedTransaction: other })
    await setMining(true)
    await client.mine({ blocks: 1 })
    expect(await sent).toMatchObject({ name: 'TransactionUnminedError' })
    expect(await approved()).toBe(0n)
  })

  it('sends nothing twice when the answer to a send is lost', async () => {
    let lost = 0
    const transport = custom({
      request: async ({ method, params }) => {
        const answer = await client.request({ method, params } as never)
        if (method !== 'eth_sendRawTransaction') return answer
        lost += 1
        throw new Error('the connection broke')
      },
    })
    expect((await approve(open({ transport }), 7n)).status).toBe('success')
    expect(lost).toBeGreaterThanOrEqual(1)
    expect(await client.getTransactionCount({ address: owner })).toBe(1)
  })

  it('says what the node has against a transaction, and what the contract has', async () => {
    await client.setBalance({ address: owner, value: 1n })
    await expect(approve(open(), 7n)).rejects.toThrow(/funds|balance/i)
    const call = { address: devnet.deployment.stablecoinAddress, abi: testUsdAbi, functionName: 'transfer' } as const
    await expect(open().write({ ...call, args: [SPENDER, 1n] } as never)).rejects.toMatchObject({
      errorName: 'ERC20InsufficientBalance',
    })
    expect(await client.getTransactionCount({ address: owner, blockTag: 'pending' })).toBe(0)
  })

  it('pays no more for gas than it is bound to, and says what it sends', async () => {
    await setMining(false)
    const heard: Hex[] = []
    const { maxFeePerGas } = await client.estimateFeesPerGas()
    const ceiling = (maxFeePerGas * 140n) / 100n
    const bounds = { maxGas: 60_000n, maxFeePerGas: ceiling, onSent: (hash: Hex) => void heard.push(hash) }
    const sent = approve(open({ bounds }), 7n)
    // One raise is within the bound, and the next would not be.
    await eventually(async () => heard.length > 4)
    expect(new Set(heard).size).toBe(2)
    const [pending] = await waiting()
    expect(BigInt(pending?.maxFeePerGas ?? 0)).toBeGreaterThan(maxFeePerGas)
    expect(BigInt(pending?.maxFeePerGas ?? 0)).toBeLessThanOrEqual(ceiling)
    expect(BigInt(pending?.gas ?? 0)).toBeLessThanOrEqual(60_000n)
    await setMining(true)
    await client.mine({ blocks: 1 })
    expect((await sent).transactionHash).toBe(heard.at(-1))
  })

  it('sends nothing that takes more gas than it is bound to', async () => {
    const bounds = { maxGas: 30_000n, maxFeePerGas: parseGwei('900'), onSent: () => {} }
    await expect(approve(open({ bounds }), 7n)).rejects.toThrow()
    expect(await client.getTransactionCount({ address: owner, blockTag: 'pending' })).toBe(0)
  })

  it('stops waiting at once when it is aborted', async () => {
    await setMining(false)
    const controller = new AbortController()
    const sent = approve(open({ feeBumping: { waitMs: 60_000, sends: 1 } }), 7n, controller.signal)
    await eventually(async () => (await waiting()).length > 0)
    controller.abort(new Error('enough'))
    await expect(sent).rejects.toThrow('enough')
  })
})
