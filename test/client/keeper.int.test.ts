import { custom, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createKeeper, type Keeper, type KeeperNews, type KeeperOptions } from '../../src/client/keeper.ts'
import { readRegisteredSeries } from '../../src/client/registered-series.ts'
import type { ChainSetup } from '../../src/client/wallet.ts'
import { createDevClient, type DevClient } from '../../src/onchain/devnet/client.ts'
import { registerSeries } from '../../src/onchain/devnet/seed.ts'
import { type Devnet, startDevnet } from '../../src/onchain/devnet/start.ts'
import { readChainTime } from '../../src/onchain/devnet/warp.ts'
import { serviceCoreAbi, testUsdAbi } from '../../src/protocol/contracts/abi.ts'
import { attestationDomain } from '../../src/protocol/domain/attestation.ts'
import { type ErrorCode, RfqError } from '../../src/protocol/domain/errors.ts'
import { normalPackage, packLegs } from '../../src/protocol/domain/option.ts'
import { type SeriesId, type SeriesTerms, seriesIdOf, type VanillaTerms } from '../../src/protocol/domain/series.ts'
import type { Address, ResolutionBps, StrikeBps } from '../../src/protocol/domain/units.ts'
import { encodeSeriesList } from '../../src/protocol/wire/discovery.ts'
import { encodeFailure } from '../../src/protocol/wire/envelope.ts'
import { encodePrepared } from '../../src/protocol/wire/settlement.ts'
import { createResolutionSigner } from '../../src/relay/adapters/signing.ts'
import { fillOnChain } from '../support/chain-trade.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { createSkippingClock, type SkippingClock } from '../support/skipping-clock.ts'

const RESOLUTION = 59 as ResolutionBps

describe('a keeper', () => {
  let devnet: Devnet
  let client: DevClient
  let strikes = 1_000
  let time: SkippingClock

  beforeAll(async () => {
    devnet = await startDevnet({ dataDir: null, port: 0, seriesAt: () => [] })
    client = createDevClient(devnet.rpcUrl)
  })
  afterAll(() => devnet.stop())
  beforeEach(() => {
    time = createSkippingClock()
  })

  const maker = () => devnet.accounts.makers[0] ?? devnet.accounts.deployer
  const taker = () => devnet.accounts.takers[0] ?? devnet.accounts.deployer
  const core = () => ({ address: devnet.deployment.coreAddress, abi: serviceCoreAbi }) as const
  const accountOf = ({ privateKey }: { privateKey: `0x${string}` }) => privateKeyToAccount(privateKey)
  const state = (seriesId: SeriesId) =>
    client.readContract({ ...core(), functionName: 'getSeries', args: [BigInt(seriesId)] })
  const dollarsOf = (address: Address) =>
    client.readContract({
      address: devnet.deployment.stablecoinAddress,
      abi: testUsdAbi,
      functionName: 'balanceOf',
      args: [address],
    })

  /** Registers calls that expire in a minute, each with another strike. */
  /** Of one market and expiry, unless each is of a market of its own. */
  async function register(count: number, { apart = false } = {}): Promise<VanillaTerms[]> {
    const expiry = (await readChainTime(client)) + 60
    const series = Array.from({ length: count }, (): VanillaTerms => {
      strikes += 1
      const strikeBps = strikes as StrikeBps
      const yesTokenId = apart ? `3${strikes}` : '3'
      return { conditionId: `0x${'33'.repeat(32)}`, yesTokenId, strikeBps, expiry, optionType: 'call' }
    })
    const owner = devnet.accounts.deployer.address
    await registerSeries(client, { owner, coreAddress: core().address, series })
    return series
  }

  type FakeRelay = {
    fetch: typeof fetch
    prepared: SeriesId[]
    refusals: (ErrorCode | 'down')[]
    settled: boolean
    finalAt: number
  }

  /** A relay that lists these series, for ever as unsettled unless told so, and signs 59 for each. */
  function relayOf(series: readonly SeriesTerms[]): FakeRelay {
    const relay: FakeRelay = {
      prepared: [],
      refusals: [],
      settled: false,
      finalAt: 0,
      fetch: async () => new Response(),
    }
    relay.fetch = async (input, init) => {
      const { pathname } = new URL(String(input))
      const refusal = relay.refusals.shift()
      if (refusal === 'down') throw new TypeError('fetch failed')
      if (refusal !== undefined) {
        const status = refusal === 'settlement_unauthorized' ? 401 : 409
        return Response.json(encodeFailure(new RfqError(refusal)), { status })
      }
      if (pathname === '/v1/series') {
        const price = relay.settled ? { resolutionBps: RESOLUTION, finalAt: relay.finalAt } : { resolutionBps: null }
        return Response.json(
          encodeSeriesList(series.map((terms) => ({ ...terms, seriesId: seriesIdOf(terms), ...price }))),
        )
      }
      const { seriesId } = JSON.parse(String(init?.body)) as { seriesId: SeriesId }
      relay.prepared.push(seriesId)
      const attestation = { seriesId, resolutionBps: RESOLUTION, validUntil: (await readChainTime(client)) + 900 }
      const domain = attestationDomain(devnet.chainId, core().address)
      const terms = series.find((one) => seriesIdOf(one) === seriesId) as SeriesTerms
      const signer = createResolutionSigner(devnet.accounts.resolutionSigner.privateKey)
      const signature = await signer.sign({ attestation, terms, domain })
      const window = { windowStart: 1, windowEnd: 1_801 }
      const meta = { method: 'twap', twap: 0.59, pointCount: 1, yesPrice: 0.59, ...window } as const
      return Response.json(encodePrepared({ attestation, signature, meta, domain }))
    }
    return relay
  }

  function open(relay: FakeRelay, options: Partial<KeeperOptions> = {}): Keeper & { news: KeeperNews[] } {
    const news: KeeperNews[] = []
    const keeper = createKeeper({
      url: 'http://relay.example',
      chain: {
        ...devnet.deployment,
        chainId: devnet.chainId,
        transport: http(devnet.rpcUrl),
        pollingIntervalMs: 10,
      },
      account: accountOf(devnet.accounts.deployer),
      fetch: relay.fetch,
      onNews: (item) => void news.push(item),
      timing: { clock: time.clock, random: () => 0.5 },
      ...options,
    })
    return { ...keeper, news }
  }
  /** Registers a call spread, as anyone may. */
  async function registerSpread([low, high]: [VanillaTerms, VanillaTerms]): Promise<SeriesTerms> {
    const { conditionId, yesTokenId, expiry, optionType } = low
    const spread = normalPackage([
      { optionType, strikeBps: low.strikeBps, quantity: 1 },
      { optionType, strikeBps: high.strikeBps, quantity: -1 },
    ])
    const hash = await client.writeContract({
      ...core(),
      account: taker().address,
      functionName: 'createPackage',
      args: [conditionId, BigInt(yesTokenId), BigInt(expiry), packLegs(spread.legs)],
    })
    await client.waitForTransactionReceipt({ hash })
    return { conditionId, yesTokenId, expiry, ...spread }
  }

  const kinds = (news: readonly KeeperNews[]) => news.map(({ kind }) => kind)

  it('settles what has expired, and leaves what has not', async () => {
    const [early] = (await register(1)) as [VanillaTerms]
    await devnet.warp(30)
    const [late] = (await register(1)) as [VanillaTerms]
    await devnet.warp(31)
    const relay = relayOf([early, late])
    const keeper = open(relay)
    await keeper.runRound()
    expect(keeper.news).toEqual([
      {
        kind: 'settled',
        seriesId: seriesIdOf(early),
        resolutionBps: 59,
        hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      },
    ])
    expect(await state(seriesIdOf(early))).toMatchObject({ settled: true, resolutionBps: 59 })
    expect(await state(seriesIdOf(late))).toMatchObject({ settled: false })
    expect(relay.prepared).toEqual([seriesIdOf(early)])
  })

  it('settles more series than a node tells of in one call', async () => {
    const many = await register(60)
    await devnet.warp(61)
    const keeper = open(relayOf(many))
    await keeper.runRound()
    expect(kinds(keeper.news)).toEqual(many.map(() => 'settled'))
    const chain = { ...devnet.deployment, transport: http(devnet.rpcUrl) }
    const found = await readRegisteredSeries(chain, many.map(seriesIdOf))
    expect([...found.values()].map(({ isSettled }) => isSettled)).toEqual(many.map(() => true))
  })

  it('leaves a series to others for the given time, counted from when it first sees that it has expired', async () => {
    const [first] = (await register(1)) as [VanillaTerms]
    await devnet.warp(61)
    const keeper = open(relayOf([first]), { settleAfterMs: 60_000 })
    await keeper.runRound()
    time.skip(59_999)
    await keeper.runRound()
    expect(await state(seriesIdOf(first))).toMatchObject({ settled: false })
    time.skip(1)
    await keeper.runRound()
    expect(await state(seriesIdOf(first))).toMatchObject({ settled: true, resolutionBps: 59 })
    expect(kinds(keeper.news)).toEqual(['settled'])
  })

  it('pays for the price of a package that someone holds, and of no other: anyone registers them', async () => {
    const [first, second] = (await register(2)) as [VanillaTerms, VanillaTerms]
    const elsewhere = { yesTokenId: '4' }
    const [third, fourth] = [
      { ...first, ...elsewhere },
      { ...second, ...elsewhere },
    ]
    const owner = devnet.accounts.deployer.address
    await registerSeries(client, { owner, coreAddress: core().address, series: [third, fourth] })
    const [held, spam] = [await registerSpread([first, second]), await registerSpread([third, fourth])]
    const trade = { maker: maker(), taker: taker(), makerSelling: true, amount: 10n, price: 10n }
    await fillOnChain({ ...devnet, ...devnet.deployment }, { ...trade, series: held })
    await devnet.warp(61)
    const relay = relayOf([held, spam])
    await open(relay).runRound()
    expect(relay.prepared).toEqual([seriesIdOf(held)])
    expect(await state(seriesIdOf(spam))).toMatchObject({ settled: false })
  })

  it('claims for its wallets what the series owe them, to the micro-dollar, and nothing that is worth nothing', async () => {
    const [low, high] = (await register(2)) as [VanillaTerms, VanillaTerms]
    const worthless = { ...high, strikeBps: 9_000 as StrikeBps }
    await registerSeries(client, {
      owner: devnet.accounts.deployer.address,
      coreAddress: core().address,
      series: [worthless],
    })
    const trade = { maker: maker(), taker: taker(), price: 20_000n }
    await fillOnChain({ ...devnet, ...devnet.deployment }, { ...trade, series: low, makerSelling: true, amount: 10n })
    await fillOnChain({ ...devnet, ...devnet.deployment }, { ...trade, series: high, makerSelling: false, amount: 7n })
    await fillOnChain(
      { ...devnet, ...devnet.deployment },
      { ...trade, series: worthless, makerSelling: true, amount: 5n },
    )
    await devnet.warp(61)
    const wallets = [taker(), maker()]
    const before = await Promise.all(wallets.map(({ address }) => dollarsOf(address)))
    const keeper = open(relayOf([low, high, worthless]), { claimants: wallets.map(accountOf) })
    await keeper.runRound()
    const after = await Promise.all(wallets.map(({ address }) => dollarsOf(address)))
    const pays = (terms: VanillaTerms) => 590_000n - BigInt(terms.strikeBps) * 100n
    const locks = (terms: VanillaTerms) => 1_000_000n - BigInt(terms.strikeBps) * 100n
    const paid = after.map((amount, i) => amount - (before[i] ?? 0n))
    expect(paid).toEqual([
      10n * pays(low) + 7n * (locks(high) - pays(high)),
      10n * (locks(low) - pays(low)) + 7n * pays(high) + 5n * locks(worthless),
    ])
    const claims = keeper.news.filter((item) => item.kind === 'claimed')
    expect(claims.map(({ side, wallet }) => [wallet, side]).sort()).toEqual(
      [
        [taker().address, 'payout'],
        [taker().address, 'collateral'],
        [maker().address, 'collateral'],
        [maker().address, 'collateral'],
        [maker().address, 'payout'],
      ].sort(),
    )
    const rounds = keeper.news.length
    await keeper.runRound()
    expect(keeper.news).toHaveLength(rounds)
  })

  it('claims from what was settled before it came', async () => {
    const { relay } = await settledSeries()
    relay.settled = true
    const keeper = open(relay, { claimants: [accountOf(taker())] })
    await keeper.runRound()
    expect(keeper.news).toMatchObject([{ kind: 'claimed', side: 'payout', amount: 3n }])
  })

  it('claims nothing while the price can still be taken back, and all when it is final', async () => {
    const { relay } = await settledSeries()
    relay.settled = true
    relay.finalAt = (await readChainTime(client)) + 3_600
    const keeper = open(relay, { claimants: [accountOf(taker())] })
    await keeper.runRound()
    expect(keeper.news).toEqual([])
    await devnet.warp(3_600)
    await keeper.runRound()
    expect(keeper.news).toMatchObject([{ kind: 'claimed', side: 'payout', amount: 3n }])
  })

  it.each([
    ['of one account', () => devnet.accounts.deployer],
    ['of two accounts', () => devnet.accounts.faucet],
  ])('and another one %s do no harm to each other', async (_, second) => {
    const series = await register(6, { apart: true })
    for (const terms of series) {
      const trade = { maker: maker(), taker: taker(), makerSelling: true, amount: 4n, price: 1n }
      await fillOnChain({ ...devnet, ...devnet.deployment }, { ...trade, series: terms })
    }
    await devnet.warp(61)
    const before = await dollarsOf(core().address)
    const relay = relayOf(series)
    const claimants = [maker(), taker()].map(accountOf)
    const timing = { clock: time.clock }
    const keepers = [
      open(relay, { claimants, timing }),
      open(relay, { claimants, timing, account: accountOf(second()) }),
    ]
    // Where both took the same thing in hand, one of them has to try again, once its patience is over.
    for (let round = 0; round < 6; round += 1) {
      await Promise.all(keepers.map((keeper) => keeper.runRound()))
      time.skip(300_000)
    }
    for (const terms of series) expect(await state(seriesIdOf(terms))).toMatchObject({ settled: true })
    const owed = series.reduce((sum, { strikeBps }) => sum + 4n * (1_000_000n - BigInt(strikeBps) * 100n), 0n)
    expect(before - (await dollarsOf(core().address))).toBe(owed)
    // Two keepers of one wallet can come to the very same transaction, which then counts once.
    const claims = keepers.flatMap(({ news }) => news.filter((item) => item.kind === 'claimed'))
    expect(new Set(claims.map(({ hash }) => hash)).size).toBe(2 * series.length)
    const events = await client.getContractEvents({ ...core(), eventName: 'SeriesSettled', fromBlock: 0n })
    const ids = new Set(series.map((terms) => BigInt(seriesIdOf(terms))))
    expect(events.filter(({ args }) => ids.has(args.seriesId ?? 0n))).toHaveLength(series.length)
  })

  /** The relay, which refuses the next call for a signature. */
  const refusing = (relay: FakeRelay, code: ErrorCode): FakeRelay => {
    const refusals = [code]
    const fetch: FakeRelay['fetch'] = (input, init) => {
      const refusal = String(input).endsWith('/settlement/prepare') ? refusals.shift() : undefined
      if (refusal !== undefined) relay.refusals.push(refusal)
      return relay.fetch(input, init)
    }
    return { ...relay, fetch }
  }

  /** A settled series of which the taker holds three options. */
  async function settledSeries(): Promise<{ series: VanillaTerms[]; relay: FakeRelay }> {
    const series = await register(1)
    const trade = { maker: maker(), taker: taker(), makerSelling: true, amount: 3n, price: 1n }
    await fillOnChain({ ...devnet, ...devnet.deployment }, { ...trade, series: series[0] as VanillaTerms })
    await devnet.warp(61)
    const relay = relayOf(series)
    await open(relay).runRound()
    return { series, relay }
  }

  it('tries a claim again that it could not pay for', async () => {
    const { relay } = await settledSeries()
    const wealth = await client.getBalance({ address: taker().address })
    await client.setBalance({ address: taker().address, value: 0n })
    const keeper = open(relay, { claimants: [accountOf(taker())] })
    await keeper.runRound()
    expect(kinds(keeper.news)).toEqual(['claim_postponed'])
    await client.setBalance({ address: taker().address, value: wealth })
    await keeper.runRound()
    expect(kinds(keeper.news)).toEqual(['claim_postponed'])
    time.skip(2_000)
    await keeper.runRound()
    expect(kinds(keeper.news)).toEqual(['claim_postponed', 'claimed'])
  })

  it('is content when its wallet has claimed by itself meanwhile', async () => {
    const { series, relay } = await settledSeries()
    const [seriesId] = series.map(seriesIdOf) as [SeriesId]
    let claimed = false
    const request = async ({ method, params }: { method: string; params?: unknown }) => {
      if (method === 'eth_sendRawTransaction' && !claimed) {
        claimed = true
        const args = [BigInt(seriesId), 3n] as const
        const claim = { ...core(), account: taker().address, functionName: 'claimHolderPayout', args } as const
        await client.waitForTransactionReceipt({ hash: await client.writeContract(claim) })
      }
      return client.request({ method, params } as never)
    }
    const chain = {
      ...devnet.deployment,
      chainId: devnet.chainId,
      transport: custom({ request }),
      pollingIntervalMs: 10,
    }
    const keeper = open(relay, { chain, claimants: [accountOf(taker())] })
    await keeper.runRound()
    expect([claimed, keeper.news]).toEqual([true, []])
  })

  it('leaves alone for a while what the relay cannot sign yet, and settles the rest', async () => {
    const series = await register(2, { apart: true })
    await devnet.warp(61)
    const relay = relayOf(series)
    const keeper = open(refusing(relay, 'manual_review'))
    await keeper.runRound()
    expect(kinds(keeper.news)).toEqual(['settlement_postponed', 'settled'])
    expect(keeper.news[0]).toMatchObject({ error: { code: 'manual_review' }, retryInMs: 1_500 })
    relay.prepared.length = 0
    time.skip(1_499)
    await keeper.runRound()
    expect(relay.prepared).toEqual([])
    time.skip(1)
    await keeper.runRound()
    expect(kinds(keeper.news)).toEqual(['settlement_postponed', 'settled', 'settled'])
  })

  it('settles all series of a market and expiry by one transaction', async () => {
    const calls = (await register(3)) as [VanillaTerms, VanillaTerms, VanillaTerms]
    const spread = await registerSpread([calls[0], calls[1]])
    const trade = { maker: maker(), taker: taker(), makerSelling: true, amount: 1n, price: 1n }
    await fillOnChain({ ...devnet, ...devnet.deployment }, { ...trade, series: spread })
    await devnet.warp(61)
    const relay = relayOf([...calls, spread])
    const keeper = open(relay)
    await keeper.runRound()
    expect(relay.prepared).toHaveLength(1)
    expect(kinds(keeper.news)).toEqual(['settled', 'settled', 'settled', 'settled'])
    expect(new Set(keeper.news.flatMap((item) => (item.kind === 'settled' ? [item.hash] : []))).size).toBe(1)
    for (const terms of [...calls, spread]) {
      expect(await state(seriesIdOf(terms))).toMatchObject({ settled: true, resolutionBps: 59 })
    }
  })

  it('waits as long as the relay asks it to', async () => {
    const series = await register(1)
    await devnet.warp(61)
    const relay = relayOf(series)
    const busy = new Response(null, { status: 503, headers: { 'retry-after': '60' } })
    const fetch: FakeRelay['fetch'] = async (input, init) =>
      String(input).endsWith('/settlement/prepare') ? busy : relay.fetch(input, init)
    const keeper = open({ ...relay, fetch })
    await keeper.runRound()
    expect(keeper.news).toMatchObject([{ kind: 'settlement_postponed', retryInMs: 60_000 }])
  })

  it('is content when another one was faster', async () => {
    const series = await register(1)
    await devnet.warp(61)
    const relay = relayOf(series)
    const fetch: FakeRelay['fetch'] = async (input, init) => {
      if (!String(input).endsWith('/settlement/prepare')) return relay.fetch(input, init)
      await open(relay).runRound()
      return Response.json(encodeFailure(new RfqError('series_already_settled')), { status: 409 })
    }
    const keeper = open({ ...relay, fetch })
    await keeper.runRound()
    expect(keeper.news).toEqual([])
  })

  /** The node, as someone reaches it whose calls of `method` come back without their answer, after `before`. */
  function losingAnswers(method: string, before = async () => {}): ChainSetup {
    const node = http(devnet.rpcUrl)({})
    const request = (async (call: { method: string; params?: unknown }) => {
      if (call.method === method) await before()
      const answer = await node.request(call as never)
      if (call.method === method) throw new Error('the connection was reset')
      return answer
    }) as typeof node.request
    return { ...devnet.deployment, chainId: devnet.chainId, transport: custom({ request }, { retryCount: 0 }) }
  }

  it('tells of what it settled also where the answer of the node was lost', async () => {
    const series = await register(1)
    await devnet.warp(61)
    const keeper = open(relayOf(series), { chain: losingAnswers('eth_getTransactionReceipt') })
    await keeper.runRound()
    const args = { seriesId: BigInt(seriesIdOf(series[0] as VanillaTerms)) }
    const events = await client.getContractEvents({ ...core(), eventName: 'SeriesSettled', args, fromBlock: 0n })
    expect(keeper.news).toMatchObject([
      { kind: 'settled', resolutionBps: RESOLUTION, hash: events[0]?.transactionHash },
    ])
  })

  it('tells nothing of what another settled while its own answer was lost', async () => {
    const series = await register(1)
    await devnet.warp(61)
    const relay = relayOf(series)
    const other = open(relay, { account: accountOf(maker()) })
    const keeper = open(relay, { chain: losingAnswers('eth_sendRawTransaction', () => other.runRound()) })
    await keeper.runRound()
    expect(other.news).toMatchObject([{ kind: 'settled' }])
    expect(keeper.news).toEqual([])
  })

  it('tells of what it settled by a sibling, whose answer was lost', async () => {
    const [named, sibling] = (await register(2)) as [VanillaTerms, VanillaTerms]
    await devnet.warp(61)
    const before = open(relayOf([sibling]))
    const keeper = open(relayOf([named, sibling]), {
      chain: losingAnswers('eth_sendRawTransaction', () => before.runRound()),
    })
    await keeper.runRound()
    const args = { seriesId: BigInt(seriesIdOf(sibling)) }
    const events = await client.getContractEvents({ ...core(), eventName: 'SeriesSettled', args, fromBlock: 0n })
    const hash = events[0]?.transactionHash
    expect(keeper.news).toMatchObject([
      { kind: 'settled', seriesId: seriesIdOf(named), hash },
      { kind: 'settled', seriesId: seriesIdOf(sibling), hash },
    ])
  })

  it('asks the chain, not the relay, whether a series is settled', async () => {
    const series = await register(3)
    await devnet.warp(61)
    const relay = relayOf(series)
    await open(relay).runRound()
    relay.prepared.length = 0
    await open(relay).runRound()
    expect(relay.prepared).toEqual([])
  })

  it('ends when the relay bars it, and says so when relay or chain cannot be reached', async () => {
    const series = await register(1)
    await devnet.warp(61)
    const relay = relayOf(series)
    const barred = open(refusing(relay, 'settlement_unauthorized'))
    await expect(barred.runRound()).rejects.toMatchObject({ code: 'settlement_unauthorized' })
    relay.refusals = ['down']
    await expect(open(relay).runRound()).rejects.toMatchObject({ name: 'RelayUnreachableError' })
    const lost = open(relay, {
      chain: {
        ...devnet.deployment,
        chainId: devnet.chainId,
        transport: http('http://127.0.0.1:1', { retryCount: 0 }),
      },
    })
    await expect(lost.runRound()).rejects.toThrow(/fetch failed|HTTP request failed/)
  })

  it('works round after round, over faults, until it is stopped', async () => {
    const series = await register(1)
    await devnet.warp(61)
    const relay = relayOf(series)
    relay.refusals = ['down', 'down']
    const controller = new AbortController()
    const clock = createFakeClock()
    const keeper = open(relay, { timing: { clock, random: () => 0.5 } })
    const running = keeper.runRounds({ everyMs: 1_000, signal: controller.signal })
    const ended = expect(running).rejects.toThrow('enough')
    for (const expected of [1, 2, 3]) {
      while (keeper.news.length < expected) await clock.advance(1)
    }
    expect(kinds(keeper.news)).toEqual(['round_failed', 'round_failed', 'settled'])
    expect(keeper.news[0]).toMatchObject({ retryInMs: 1_500 })
    controller.abort(new Error('enough'))
    await ended
  })
})
