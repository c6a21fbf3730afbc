import { join } from 'node:path'
import { http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, it, onTestFinished } from 'vitest'
import { runMakerBot } from '../../src/agents/bots/maker-bot.ts'
import { MAKER_STYLES, type MakerStyle } from '../../src/agents/bots/style.ts'
import { runCli } from '../../src/cli/run-cli.ts'
import { createKeeper, type KeeperNews } from '../../src/client/keeper.ts'
import { createOperatorClient } from '../../src/client/operator.ts'
import { createTakerClient } from '../../src/client/taker.ts'
import type { TakerClient } from '../../src/client/taker-client.ts'
import { createDevClient, type DevClient } from '../../src/onchain/devnet/client.ts'
import { registerSeries } from '../../src/onchain/devnet/seed.ts'
import { readChainTime, warpChain } from '../../src/onchain/devnet/warp.ts'
import { serviceCoreAbi, testUsdAbi } from '../../src/protocol/contracts/abi.ts'
import { maxPayoff, payoff } from '../../src/protocol/domain/option.ts'
import { toRequestedOption } from '../../src/protocol/domain/request.ts'
import { type SeriesId, type SeriesTerms, seriesIdOf } from '../../src/protocol/domain/series.ts'
import { contracts, type Hex, type ResolutionBps, type StrikeBps, usd6 } from '../../src/protocol/domain/units.ts'
import { readSandbox, type Sandbox } from '../../src/relay/app/sandbox-file.ts'
import { NOWHERE, temporaryDir } from '../cli/support.ts'
import { eventually } from '../kit/eventually.ts'
import { json } from '../kit/plays.ts'
import { startSource } from '../relay/adapters/sources/source-server.ts'
import { watchWire } from '../support/api/watch-wire.ts'
import { createSkippingClock } from '../support/skipping-clock.ts'

watchWire()

const SERIES = 50
const EXPIRY_EVERY_S = 360

/** A market of the day, by what becomes of it. */
type Fate = 'open' | 'closes_yes' | 'disputed' | 'no_prices' | 'outage'
const FATES: readonly Fate[] = ['open', 'closes_yes', 'disputed', 'no_prices', 'outage']
const conditionOf = (fate: Fate): Hex => `0x${String(FATES.indexOf(fate) + 1).repeat(64)}`
const tokenOf = (fate: Fate): string => String(1_000 + FATES.indexOf(fate))
const fateOf = ({ conditionId }: Pick<SeriesTerms, 'conditionId'>): Fate | undefined =>
  FATES.find((fate) => conditionOf(fate) === conditionId)

/** The price of every token: between 0.4 and 0.6, where the options of the day are worth something. */
const priceAt = (t: number): number => Math.round(5_000 + 1_000 * Math.sin(t / 1_800)) / 10_000

/** Quick makers without whims: the day is long enough. */
const QUICK: Partial<MakerStyle> = {
  latencyMs: { min: 2, max: 10 },
  improvements: 0,
  refreshMs: null,
  opinion: 0,
  positionLimit: 10_000_000,
}

/** A public API with prices a minute and five markets, one of which is out of order until it is mended. */
async function startApi(closedTime: () => number) {
  const state = { mended: false }
  const server = await startSource((response, request) => {
    const query = new URL(request.url ?? '/', 'http://api').searchParams
    const conditionId = query.get('condition_ids')
    const token = query.get('market')
    if (conditionId !== null) return json(marketsOf(conditionId, query.has('closed')))(response, request)
    if (token === tokenOf('outage') && !state.mended) return json({}, 403)(response, request)
    const [from, to] = [Number(query.get('startTs')), Number(query.get('endTs'))]
    const first = Math.ceil(from / 60) * 60
    const count = token === tokenOf('no_prices') ? 0 : Math.floor((to - first) / 60) + 1
    const history = Array.from({ length: count }, (_, i) => ({ t: first + i * 60, p: priceAt(first + i * 60) }))
    return json({ history })(response, request)
  })

  function marketsOf(conditionId: string, closed: boolean): unknown[] {
    const fate = FATES.find((candidate) => conditionOf(candidate) === conditionId)
    if (fate === undefined) return []
    const isClosed = fate === 'closes_yes' || fate === 'disputed'
    if (isClosed !== closed) return []
    return [
      {
        conditionId,
        question: `A market that ${fate}?`,
        clobTokenIds: JSON.stringify([tokenOf(fate), '1']),
        outcomePrices: fate === 'closes_yes' ? '["1", "0"]' : '["0.5", "0.5"]',
        closed,
        closedTime: closed ? new Date(closedTime() * 1_000).toISOString() : null,
        umaResolutionStatus: fate === 'closes_yes' ? 'resolved' : fate === 'disputed' ? 'disputed' : null,
      },
    ]
  }
  return { url: server.url, state }
}

/** The relay as `rfqctl serve` runs it, on a chain and a file store of its own. */
async function startRelay(environment: Record<string, string>): Promise<Sandbox & { rpcUrl: string }> {
  const cwd = temporaryDir()
  const stop = new AbortController()
  let ended: Promise<number> = Promise.resolve(0)
  await new Promise<void>((resolve, reject) => {
    const stdout = { write: (text: string) => text.includes('"ready"') && resolve() }
    const process = { stdout, stderr: { write: () => {} }, environment, cwd, stop: stop.signal }
    ended = runCli(['serve', '--port', '0', '--json'], { ...process, defaults: NOWHERE, readStdin: async () => '' })
    ended.then((code) => reject(new Error(`serve ended with ${code}`)), reject)
  })
  onTestFinished(async () => {
    stop.abort({ kind: 'signal', signal: 'SIGTERM' })
    expect(await ended).toBe(0)
  })
  return readSandbox(join(cwd, '.rfqctl')) as Sandbox & { rpcUrl: string }
}

it('a day of 50 series settles every one or brings it before a person, and the core holds what is owed', {
  timeout: 240_000,
}, async () => {
  let closedTime = 0
  const api = await startApi(() => closedTime)
  const sandbox = await startRelay({
    PRICE_HISTORY_URL: api.url,
    MARKETS_URL: api.url,
    SETTLE_LAG_MS: '0',
    SERIES_REFRESH_MS: '200',
    LOG_LEVEL: 'silent',
  })
  const { url, chainId, settlementAddress, coreAddress, rpcUrl } = sandbox
  const dev = createDevClient(rpcUrl)
  const chain = { chainId, settlementAddress, coreAddress, transport: http(rpcUrl), pollingIntervalMs: 10 }
  const traders = [...sandbox.makers, ...sandbox.takers]

  const start = await readChainTime(dev)
  closedTime = start + (SERIES / 2) * EXPIRY_EVERY_S
  const series = await registerDay(dev, sandbox, start)
  const takers = sandbox.takers.map(({ privateKey }) =>
    createTakerClient({ url, account: privateKeyToAccount(privateKey), chain }),
  )
  await eventually(async () => (await (takers[0] as TakerClient).listSeries()).length >= SERIES)
  runMakers(sandbox, chain)

  const { clock, skip } = createSkippingClock()
  const news: KeeperNews[] = []
  const keepers = await Promise.all(
    [1, 2].map(async () => {
      const account = privateKeyToAccount(generatePrivateKey())
      await dev.setBalance({ address: account.address, value: 10n ** 20n })
      const claimants = traders.map(({ privateKey }) => privateKeyToAccount(privateKey))
      const onNews = (item: KeeperNews) => void news.push(item)
      return createKeeper({ url, chain, account, claimants, onNews, timing: { clock } })
    }),
  )
  const keep = async (skippedMs: number) => {
    skip(skippedMs)
    await Promise.all(keepers.map((keeper) => keeper.runRound()))
  }

  for (const [i, terms] of series.entries()) {
    const taker = takers[i % takers.length] as TakerClient
    await trade(taker, terms, i % 3 === 0 ? 'sell' : 'buy')
    await warpChain(dev, Math.max(0, terms.expiry + 1 - (await readChainTime(dev))))
    await keep(1_000)
    if (i % 10 === 9) expect(await coreBalance(dev, sandbox)).toBe(await owed(dev, sandbox))
  }

  // The evening: what was out of order is mended, and persons decide half of what has no price.
  const operator = createOperatorClient({ url, token: sandbox.operatorToken ?? '' })
  const states = await readStates(dev, sandbox)
  const unsettled = series.filter((terms) => !states.get(seriesIdOf(terms))?.settled)
  expect(new Set(unsettled.map(fateOf))).toEqual(new Set(['no_prices', 'outage']))
  api.state.mended = true
  const reviews = (await operator.listReviews()).filter(({ series: reviewed }) => fateOf(reviewed) === 'no_prices')
  expect(reviews).toHaveLength(SERIES / FATES.length)
  expect(new Set(reviews.map(({ reason }) => reason))).toEqual(new Set(['no_price_data']))
  const decided = reviews.slice(0, 5).map(({ series: { seriesId } }) => seriesId)
  for (const seriesId of decided) {
    await operator.resolveReview({ seriesId, resolutionBps: 50 as ResolutionBps, by: 'Ada', reason: 'last trade' })
  }
  for (let round = 0; round < 3; round += 1) await keep(600_000)

  const evening = await readStates(dev, sandbox)
  const waiting = new Set((await operator.listReviews()).map(({ series: { seriesId } }) => seriesId))
  const chainTime = await readChainTime(dev)
  const unattended = [...evening].filter(
    ([seriesId, { settled, expiry }]) => expiry <= chainTime && !settled && !waiting.has(seriesId),
  )
  expect(unattended).toEqual([])
  const settled = series.filter((terms) => evening.get(seriesIdOf(terms))?.settled)
  expect(settled).toHaveLength(SERIES - reviews.length + decided.length)
  for (const terms of settled) {
    const { resolutionBps } = evening.get(seriesIdOf(terms)) ?? {}
    if (fateOf(terms) === 'closes_yes' && terms.expiry >= closedTime) expect(resolutionBps).toBe(100)
    else if (fateOf(terms) === 'no_prices') expect(resolutionBps).toBe(50)
    else expect(Math.abs((resolutionBps ?? -100) - 50)).toBeLessThanOrEqual(10)
  }

  // Everything that can be claimed was claimed: what is left belongs to series that wait for a person.
  const left = await coreBalance(dev, sandbox)
  const locked = series
    .filter((terms) => !evening.get(seriesIdOf(terms))?.settled)
    .reduce((sum, terms) => {
      const { openInterest } = evening.get(seriesIdOf(terms)) ?? { openInterest: 0n }
      return sum + openInterest * maxPayoff(terms)
    }, 0n)
  expect(left).toBe(locked)
  expect(left).toBe(await owed(dev, sandbox))
  expect(left).toBeGreaterThan(0n)
  // One settlement prices all series of a market and expiry.
  const hashes = news.flatMap((item) => (item.kind === 'settled' ? [item.hash] : []))
  expect(new Set(hashes).size).toBe((await settlements(dev, sandbox)).length)
})

/** Registers the series of the day: one expiry every few minutes, the markets in turn, calls and puts that are worth something. */
async function registerDay(dev: DevClient, { coreAddress, registrar }: Sandbox, start: number): Promise<SeriesTerms[]> {
  const series = Array.from({ length: SERIES }, (_, i): SeriesTerms => {
    const fate = FATES[i % FATES.length] as Fate
    const isCall = i % 2 === 0
    return {
      conditionId: conditionOf(fate),
      yesTokenId: tokenOf(fate),
      strikeBps: (isCall ? 2_500 + 20 * i : 7_500 - 20 * i) as StrikeBps,
      expiry: start + (i + 1) * EXPIRY_EVERY_S,
      optionType: isCall ? 'call' : 'put',
    }
  })
  await registerSeries(dev, { owner: registrar?.address ?? coreAddress, coreAddress, series })
  return series
}

/** Two simulated makers, until the test is over. */
function runMakers({ url, makers }: Sandbox, chain: Parameters<typeof createTakerClient>[0]['chain'] & object): void {
  const stop = new AbortController()
  const running = makers.slice(0, 2).map(({ privateKey, apiKey }, i) =>
    runMakerBot({
      maker: { url, apiKey: apiKey ?? null, account: privateKeyToAccount(privateKey), chain },
      style: { ...(i === 0 ? MAKER_STYLES.tight : MAKER_STYLES.wide), ...QUICK },
      seed: i,
      spot: async () => 0.5,
      signal: stop.signal,
    }),
  )
  onTestFinished(async () => {
    stop.abort()
    await Promise.allSettled(running)
  })
}

/** Asks, waits for a quote, takes it and fills the order on the chain. */
async function trade(taker: TakerClient, terms: SeriesTerms, side: 'buy' | 'sell'): Promise<void> {
  const { conditionId, yesTokenId } = terms
  const request = await taker.openQuoteRequest({
    market: { conditionId, yesTokenId },
    option: toRequestedOption(terms),
    trade: side === 'buy' ? { side, budget: usd6(50_000_000n) } : { side, size: contracts(120n) },
  })
  for await (const { bestQuote } of taker.watchBestQuote({ request })) {
    if (bestQuote === null) continue
    const commitment = await taker.commitToBestQuote({ request, shown: bestQuote })
    const { fill } = await taker.fillOrder({ commitment })
    expect(fill.status).toBe('success')
    return
  }
  throw new Error('the request closed without a quote')
}

type State = {
  expiry: number
  settled: boolean
  resolutionBps: number
  openInterest: bigint
  optionType: number
  strikeBps: number
}

/** Every registered series as the chain has it. */
async function readStates(dev: DevClient, { coreAddress }: Sandbox): Promise<ReadonlyMap<SeriesId, State>> {
  const core = { address: coreAddress, abi: serviceCoreAbi } as const
  const created = await dev.getContractEvents({ ...core, eventName: 'SeriesCreated', fromBlock: 0n })
  const ids = created.map(({ args }) => args.seriesId ?? 0n)
  const states = await Promise.all(
    ids.map((id) => dev.readContract({ ...core, functionName: 'getSeries', args: [id] })),
  )
  return new Map(states.map((state, i) => [String(ids[i]), { ...state, expiry: Number(state.expiry) }]))
}

const settlements = (dev: DevClient, { coreAddress: address }: Sandbox) =>
  dev.getContractEvents({ address, abi: serviceCoreAbi, eventName: 'SeriesSettled', fromBlock: 0n })

const coreBalance = (dev: DevClient, { coreAddress, stablecoinAddress }: Sandbox): Promise<bigint> =>
  dev.readContract({ address: stablecoinAddress, abi: testUsdAbi, functionName: 'balanceOf', args: [coreAddress] })

/** What the core owes to all traders: the collateral of open series, the claims on settled ones. */
async function owed(dev: DevClient, sandbox: Sandbox): Promise<bigint> {
  const core = { address: sandbox.coreAddress, abi: serviceCoreAbi } as const
  const traders = [...sandbox.makers, ...sandbox.takers].map(({ address }) => address)
  let sum = 0n
  for (const [seriesId, state] of await readStates(dev, sandbox)) {
    const optionType = state.optionType === 0 ? 'call' : 'put'
    const option = { optionType, strikeBps: state.strikeBps as StrikeBps } as const
    const most = maxPayoff(option)
    if (!state.settled) {
      sum += state.openInterest * most
      continue
    }
    const each = payoff(option, state.resolutionBps as ResolutionBps)
    const id = BigInt(seriesId)
    const [longs, shorts] = await Promise.all([
      Promise.all(
        traders.map((wallet) => dev.readContract({ ...core, functionName: 'balanceOf', args: [wallet, id] })),
      ),
      Promise.all(traders.map((wallet) => dev.readContract({ ...core, functionName: 'shortOf', args: [id, wallet] }))),
    ])
    for (const long of longs) sum += long * each
    for (const short of shorts) sum += short * (most - each)
  }
  return sum
}
