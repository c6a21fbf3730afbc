import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevClient, type DevClient } from '../../../src/onchain/devnet/client.ts'
import { registerSeries } from '../../../src/onchain/devnet/seed.ts'
import { type Devnet, startDevnet } from '../../../src/onchain/devnet/start.ts'
import { serviceCoreAbi, testUsdAbi } from '../../../src/protocol/contracts/abi.ts'
import { attestationDigest, attestationDomain } from '../../../src/protocol/domain/attestation.ts'
import { type SeriesTerms, seriesIdOf } from '../../../src/protocol/domain/series.ts'
import { type Address, type Hex, type ResolutionBps, type StrikeBps, usd6 } from '../../../src/protocol/domain/units.ts'
import { connectChain } from '../../../src/relay/adapters/chain/connect.ts'
import { createFaucet } from '../../../src/relay/adapters/chain/faucet.ts'
import { fixtureSeries, readFixtureMarkets } from '../../../src/relay/adapters/markets/fixture-markets.ts'
import { createResolutionSigner } from '../../../src/relay/adapters/signing.ts'
import type { Chain, ChainEnvironment, SeriesIndex } from '../../../src/relay/core/ports/chain.ts'
import { describeChain } from '../../ports/chain.suite.ts'

const markets = readFixtureMarkets()
const clock = { now: () => Date.now() }
/** More than the blocks that may be mined meanwhile, fewer than lie behind the start. */
const REORG_DEPTH = 5

describe('on a real Anvil', () => {
  let devnet: Devnet
  let client: DevClient
  let environment: ChainEnvironment
  let chain: Chain
  let seriesIndex: SeriesIndex
  let connected: Awaited<ReturnType<typeof connectChain>>
  let core: { address: Address; abi: typeof serviceCoreAbi }
  let registered = 0

  const connect = (changes: Partial<ChainEnvironment> = {}) =>
    connectChain({
      rpcUrl: devnet.rpcUrl,
      environment: { ...environment, ...changes },
      startBlock: devnet.startBlock,
      cacheMs: 60_000,
      clock,
    })

  beforeAll(async () => {
    devnet = await startDevnet({ dataDir: null, port: 0, seriesAt: (time) => fixtureSeries(markets, time) })
    client = createDevClient(devnet.rpcUrl)
    environment = { chainId: devnet.chainId, ...devnet.deployment }
    core = { address: devnet.deployment.coreAddress, abi: serviceCoreAbi }
    connected = await connect()
    chain = connected.chain
    seriesIndex = connected.seriesIndex
  })
  afterAll(() => devnet.stop())

  describeChain('the chain adapter', () => ({ chain, seriesIndex, now: () => Math.floor(Date.now() / 1_000) }))

  const owner = () => devnet.accounts.deployer.address
  const mined = (hash: Hex) => client.waitForTransactionReceipt({ hash })

  /** Registers a series of its own that expires a minute from now. */
  async function register(): Promise<SeriesTerms> {
    registered += 1
    const terms: SeriesTerms = {
      conditionId: `0x${'77'.repeat(32)}`,
      yesTokenId: '7',
      strikeBps: registered as StrikeBps,
      expiry: (await chain.time('latest')) + 60,
      optionType: 'call',
    }
    await registerSeries(client, { owner: owner(), coreAddress: core.address, series: [terms] })
    return terms
  }

  it('refuses a wrong chain and wrong addresses at the start', async () => {
    await expect(connect({ chainId: 1 })).rejects.toMatchObject({ name: 'ChainMismatchError' })
    await expect(connect({ coreAddress: owner() })).rejects.toThrow('there is no contract at the core address')
    await expect(
      connect({ coreAddress: environment.settlementAddress, settlementAddress: environment.coreAddress }),
    ).rejects.toMatchObject({ name: 'ChainMismatchError' })
  })

  it('reads what a maker holds and has approved, and sees a change at once when asked for the latest', async () => {
    const maker = devnet.accounts.makers[0]?.address as Address
    const before = await chain.funds(maker, 'core', 'cached')
    expect(before).toEqual({ balance: 1_000_000_000_000n, allowance: 2n ** 256n - 1n })
    const token = { address: environment.stablecoinAddress, abi: testUsdAbi } as const
    const args = [environment.coreAddress, 5n] as const
    await mined(await client.writeContract({ ...token, account: maker, functionName: 'approve', args }))
    expect(await chain.funds(maker, 'core', 'cached')).toEqual(before)
    expect(await chain.funds(maker, 'core', 'latest')).toEqual({ ...before, allowance: 5n })
    expect(await chain.funds(maker, 'core', 'cached')).toEqual({ ...before, allowance: 5n })
    expect(await chain.funds(maker, 'settlement', 'latest')).toEqual(before)
  })

  it('finds a series that was registered a moment ago, although the index is old', async () => {
    const terms = await register()
    const seriesId = seriesIdOf(terms)
    expect(await seriesIndex.find(seriesId)).toBeNull()
    expect(await seriesIndex.lookUp(seriesId)).toEqual({ ...terms, seriesId, halted: false, resolutionBps: null })
    expect(await chain.series(seriesId, 'latest')).toEqual({
      expiry: terms.expiry,
      halted: false,
      resolutionBps: null,
      room: expect.any(BigInt),
    })
  })

  it('sees a halt', async () => {
    const seriesId = seriesIdOf(await register())
    const args = [[BigInt(seriesId)], true] as const
    await mined(await client.writeContract({ ...core, account: owner(), functionName: 'setHalted', args }))
    expect(await chain.series(seriesId, 'latest')).toMatchObject({ halted: true })
    await seriesIndex.refresh()
    expect(await seriesIndex.find(seriesId)).toMatchObject({ halted: true })
  })

  it('signs what the core accepts, and sees the settlement', async () => {
    const terms = await register()
    const seriesId = seriesIdOf(terms)
    const now = await devnet.warp(61)
    expect(await chain.time('latest')).toBeGreaterThanOrEqual(now)
    const signer = createResolutionSigner(devnet.accounts.resolutionSigner.privateKey)
    const attestation = { seriesId, resolutionBps: 59 as ResolutionBps, validUntil: now + 900 }
    const domain = attestationDomain(devnet.chainId, core.address)
    const args = [BigInt(seriesId), 59, BigInt(attestation.validUntil)] as const
    expect(await client.readContract({ ...core, functionName: 'hashAttestation', args })).toBe(
      attestationDigest(attestation, domain),
    )
    const signature = await signer.sign({ attestation, terms, domain })
    const account = devnet.accounts.takers[0]?.address as Address
    const settle = { ...core, account, functionName: 'settleWithAttestation', args: [...args, signature] } as const
    await mined(await client.writeContract(settle))
    expect(await chain.series(seriesId, 'latest')).toMatchObject({ resolutionBps: 59 })
    await seriesIndex.refresh()
    expect(await seriesIndex.find(seriesId)).toMatchObject({ resolutionBps: 59 })
  })

  it('forgets a series that a reorganisation took away', async () => {
    const seriesId = seriesIdOf(await register())
    await seriesIndex.refresh()
    expect(await seriesIndex.find(seriesId)).not.toBeNull()
    await client.request<{ Method: string; Parameters: unknown[]; ReturnType: unknown }>({
      method: 'anvil_reorg',
      params: [REORG_DEPTH, []],
    })
    await seriesIndex.refresh()
    expect(await seriesIndex.find(seriesId)).toBeNull()
    expect((await seriesIndex.list()).length).toBeGreaterThanOrEqual(fixtureSeries(markets, 0).length)
    expect(await chain.series(seriesId, 'latest')).toBeNull()
  })

  describe('the faucet', () => {
    const wallet = (n: number): Address => `0x${n.toString(16).padStart(40, 'f')}`
    const balanceOf = async (address: Address) => (await chain.funds(address, 'core', 'latest')).balance

    it('pays many at once, to the micro-dollar, and continues after a payment that the token refused', async () => {
      const faucet = createFaucet({ rpc: connected.rpc, environment, privateKey: devnet.accounts.faucet.privateKey })
      const wallets = Array.from({ length: 8 }, (_, n) => wallet(n))
      wallets[3] = `0x${'00'.repeat(20)}`
      const results = await Promise.allSettled(wallets.map((to, n) => faucet.send(to, usd6(1_000_000n + BigInt(n)))))
      expect(results.filter(({ status }) => status === 'rejected')).toMatchObject([
        { reason: { code: 'faucet_unavailable' } },
      ])
      await Promise.all(results.flatMap((result) => (result.status === 'fulfilled' ? [mined(result.value)] : [])))
      const balances = await Promise.all(wallets.map(balanceOf))
      expect(balances).toEqual(wallets.map((_, n) => (n === 3 ? 0n : 1_000_000n + BigInt(n))))
    })

    it('pays from its own balance when it may not mint', async () => {
      const payer = devnet.accounts.takers[1]
      if (payer === undefined) throw new Error('no taker')
      const faucet = createFaucet({ rpc: connected.rpc, environment, privateKey: payer.privateKey })
      const before = await balanceOf(payer.address)
      await mined(await faucet.send(wallet(99), usd6(7n)))
      expect([await balanceOf(wallet(99)), await balanceOf(payer.address)]).toEqual([7n, before - 7n])
    })
  })
})
