import { describe, expect, test } from 'vitest'
import { createLister, HALT_GAS, REGISTRATION_GAS, SERIES_PER_HALT } from '../../../src/agents/lister/lister.ts'
import type { ListerNews, ListerSettings, SentCall } from '../../../src/agents/lister/ports.ts'
import { nextExpiry, type PlannedSeries, type SourceMarket } from '../../../src/protocol/domain/listing.ts'
import { type SeriesId, type SeriesTerms, seriesIdOf } from '../../../src/protocol/domain/series.ts'
import type { Hex, StrikeBps } from '../../../src/protocol/domain/units.ts'

const NOW = Date.UTC(2026, 10, 23, 7)
const NOW_S = NOW / 1_000
const HOUR_MS = 3_600_000
const GWEI = 10n ** 9n
const HASH: Hex = `0x${'ee'.repeat(32)}`

const market = (id: string): SourceMarket => ({
  question: `Will ${id}?`,
  conditionId: `0x${id.repeat(32)}`,
  yesTokenId: String(Number.parseInt(id, 16)),
  endsAt: NOW_S + 400 * 86_400,
  unfit: null,
})

/** A world in which everything works until a test says otherwise. */
function open(changes: Partial<ListerSettings> = {}, { hasGuardian = true, isOneWallet = false } = {}) {
  const world = {
    now: NOW,
    markets: [market('a1'), market('b2')] as SourceMarket[],
    onChain: new Map<SeriesId, SeriesTerms & { seriesId: SeriesId; isHalted: boolean }>(),
    /** The newest price of each market, Unix seconds; `down` where the source fails. */
    prices: new Map<string, number | 'down'>(),
    asked: [] as string[],
    gasPrice: 30n * GWEI,
    cost: 10n ** 15n,
    /** What registrations, in their order, and halts end with; absent: mined. */
    fails: null as ((series: PlannedSeries | null) => SentCall | null) | null,
    sourceIsDown: false,
    relayIsDown: false,
    registered: [] as PlannedSeries[],
    halts: [] as (readonly SeriesId[])[],
  }
  const sent = (series: PlannedSeries | null, work: () => void): SentCall => {
    const failed = world.fails?.(series) ?? null
    if (failed !== null) return failed
    work()
    return { kind: 'mined', hash: HASH, cost: world.cost }
  }
  const wallet = {
    gasPrice: async () => world.gasPrice,
    register: async (series: PlannedSeries) =>
      sent(series, () => {
        const seriesId = seriesIdOf(series)
        world.registered.push(series)
        world.onChain.set(seriesId, { ...series, seriesId, isHalted: false })
      }),
    halt: async (seriesIds: readonly SeriesId[]) =>
      sent(null, () => {
        world.halts.push(seriesIds)
        for (const seriesId of seriesIds) {
          const one = world.onChain.get(seriesId)
          if (one !== undefined) one.isHalted = true
        }
      }),
  }
  const news: ListerNews[] = []
  const lister = createLister({
    ports: {
      markets: async () => {
        if (world.sourceIsDown) throw new Error('the source is down')
        return world.markets
      },
      prices: async (yesTokenId, from, to) => {
        world.asked.push(yesTokenId)
        const newest = world.prices.get(yesTokenId) ?? Math.floor(world.now / 1_000) - 60
        if (newest === 'down') throw new Error('no prices')
        return [newest - 1, newest].filter((t) => t >= from && t <= to).map((t) => ({ t }))
      },
      openSeries: async () => {
        if (world.relayIsDown) throw new Error('the relay is down')
        return [...world.onChain.values()]
      },
      chainTime: async () => Math.floor(world.now / 1_000),
      registered: async (seriesIds) =>
        new Map(
          seriesIds.flatMap((seriesId) => {
            const one = world.onChain.get(seriesId)
            return one === undefined ? [] : [[seriesId, { ...one, isSettled: false }] as const]
          }),
        ),
      registrar: wallet,
      halter: hasGuardian ? (isOneWallet ? wallet : { ...wallet }) : null,
    },
    settings: {
      rule: { strikes: [5_000 as StrikeBps], cadences: ['weekly'], optionTypes: ['call', 'put'] },
      maxSeries: 50,
      quietMs: HOUR_MS,
      maxGasPrice: 100n * GWEI,
      maxCoinPerDay: 10n ** 18n,
      ...changes,
    },
    now: () => world.now,
    onNews: (one) => news.push(one),
  })
  const round = async () => {
    news.length = 0
    await lister.runRound(new AbortController().signal)
    return news.map((one) => (one.kind === 'postponed' ? `${one.what}: ${one.error.message}` : one.kind))
  }
  const quiet = (id: string) => world.prices.set(String(Number.parseInt(id, 16)), Math.floor(world.now / 1_000) - 7_200)
  return { world, lister, round, news, quiet }
}

describe('listing', () => {
  test('each market gets its series once, and the next ones when an expiry comes near', async () => {
    const { world, round } = open()
    expect(await round()).toEqual(Array(4).fill('series_listed'))
    expect(await round()).toEqual([])
    const first = nextExpiry('weekly', NOW_S)
    world.now = (first - 2 * 86_400) * 1_000
    expect(await round()).toEqual([])
    world.now += 1_000
    expect(await round()).toEqual(Array(4).fill('series_listed'))
    expect(new Set(world.registered.map(({ expiry }) => expiry))).toEqual(new Set([first, first + 7 * 86_400]))
  })

  test('a round registers as many as it may, and the next one the rest', async () => {
    const { round } = open({ maxSeries: 3 })
    expect(await round()).toHaveLength(3)
    expect(await round()).toHaveLength(1)
  })

  test('a refusal by the contract of one series does not keep the others', async () => {
    const { world, round } = open()
    const refused: SentCall = { kind: 'failed', error: new Error('no'), wasSent: false, isRefusal: true }
    world.fails = (series) => (series?.optionType === 'call' ? refused : null)
    expect(await round()).toEqual(['registration: no', 'series_listed', 'registration: no', 'series_listed'])
  })

  test('a fault that concerns all of them ends the round', async () => {
    const { world, round } = open()
    world.fails = () => ({ kind: 'failed', error: new Error('no coin'), wasSent: false, isRefusal: false })
    expect(await round()).toEqual(['registration: no coin'])
    world.fails = null
    expect(await round()).toHaveLength(4)
  })

  test('no series is listed of a market without prices, or whose prices are not known', async () => {
    const { world, round, quiet } = open()
    quiet('a1')
    expect(await round()).toHaveLength(2)
    expect(world.registered.every(({ question }) => question === 'Will b2?')).toBe(true)
    world.prices.set('161', 'down')
    expect(await round()).toEqual(['prices: no prices'])
  })

  test('a source of markets that is down is said, and keeps nothing from being halted', async () => {
    const { world, round, quiet } = open()
    await round()
    world.sourceIsDown = true
    quiet('a1')
    expect(await round()).toEqual(['series_halted', 'listing: the source is down'])
  })
})

describe('halting', () => {
  test('all series of a market without a price for the time, and no others', async () => {
    const { world, round, news, quiet } = open()
    await round()
    expect(await round()).toEqual([])
    quiet('a1')
    expect(await round()).toEqual(['series_halted'])
    expect(news[0]).toMatchObject({ conditionId: market('a1').conditionId, hash: HASH })
    expect([...world.onChain.values()].filter(({ isHalted }) => isHalted).map(({ yesTokenId }) => yesTokenId)).toEqual([
      '161',
      '161',
    ])
    expect(await round()).toEqual([])
  })

  test('a price is received until the time is over, to the second', async () => {
    const { world, round } = open()
    await round()
    for (const yesTokenId of ['161', '178']) world.prices.set(yesTokenId, NOW_S)
    world.now = NOW + HOUR_MS
    expect(await round()).toEqual([])
    world.now += 1_000
    expect(await round()).toEqual(['series_halted', 'series_halted'])
  })

  test('a series that the owner resumes stays resumed, until its market was live and went quiet again', async () => {
    const { world, round, quiet } = open()
    await round()
    quiet('a1')
    await round()
    const resume = () => {
      for (const one of world.onChain.values()) one.isHalted = false
    }
    resume()
    expect(await round()).toEqual([])
    world.prices.delete('161')
    expect(await round()).toEqual([])
    quiet('a1')
    expect(await round()).toEqual(['series_halted'])
  })

  test('a source of prices that is away halts nothing until it is away for as long as a market may be quiet', async () => {
    const { world, round } = open()
    await round()
    world.prices.set('161', 'down').set('178', 'down')
    world.asked.length = 0
    world.now += HOUR_MS - 60_000
    expect(await round()).toEqual(['prices: no prices'])
    expect(world.asked).toHaveLength(1)
    world.now += 1_000
    expect(await round()).toEqual(['prices: no prices', 'series_halted', 'series_halted'])
  })

  test('a lister that starts while the source is away waits as long, too', async () => {
    const { world, round } = open()
    await round()
    const again = open()
    again.world.onChain = world.onChain
    again.world.prices.set('161', 'down').set('178', 'down')
    again.world.now += 5 * HOUR_MS
    expect(await again.round()).toEqual(['prices: no prices'])
    again.world.now += HOUR_MS
    expect(await again.round()).toEqual(['prices: no prices'])
    again.world.now += 1_000
    expect(await again.round()).toEqual(['prices: no prices', 'series_halted', 'series_halted'])
  })

  test('a received price counts also when the relay was away for a round in between', async () => {
    const { world, round } = open()
    await round()
    world.now += 3 * HOUR_MS
    await round()
    world.markets = []
    world.relayIsDown = true
    await round()
    world.relayIsDown = false
    world.prices.set('161', 'down').set('178', 'down')
    world.now += 60_000
    expect(await round()).toEqual(['prices: no prices'])
  })

  test('a halt by others is left as it is', async () => {
    const { world, round, quiet } = open()
    await round()
    for (const one of world.onChain.values()) one.isHalted = 'optionType' in one && one.optionType === 'call'
    quiet('a1')
    expect(await round()).toEqual(['series_halted'])
    expect(world.halts).toEqual([[expect.any(String)]])
  })

  test('series that have expired are left as they are', async () => {
    const { world, round, quiet } = open()
    await round()
    world.now = nextExpiry('weekly', NOW_S) * 1_000
    world.markets = []
    quiet('a1')
    quiet('b2')
    expect(await round()).toEqual([])
  })

  test('many are halted in transactions of a bounded size', async () => {
    const strikes = Array.from({ length: 20 }, (_, i) => (400 * (i + 1)) as StrikeBps)
    const { world, round, quiet } = open({
      rule: { strikes, cadences: ['daily', 'weekly'], optionTypes: ['call', 'put'] },
      maxSeries: 500,
    })
    await round()
    quiet('a1')
    await round()
    expect(world.halts.map(({ length }) => length)).toEqual([SERIES_PER_HALT, 30])
  })

  test('without a key of the guardian it is said once, and nothing is halted', async () => {
    const { world, round, quiet } = open({}, { hasGuardian: false })
    await round()
    quiet('a1')
    expect(await round()).toEqual(['market_quiet'])
    expect(await round()).toEqual([])
    expect(world.halts).toEqual([])
  })

  test('a halt that failed is tried again in the next round', async () => {
    const { world, round, quiet } = open()
    await round()
    quiet('a1')
    world.fails = () => ({ kind: 'failed', error: new Error('no coin'), wasSent: false, isRefusal: false })
    expect(await round()).toEqual(['halt: no coin'])
    world.fails = null
    expect(await round()).toEqual(['series_halted'])
  })

  test('a relay that is down is said, and keeps nothing from being listed', async () => {
    const { world, round } = open()
    world.relayIsDown = true
    expect(await round()).toEqual(['watching: the relay is down', ...Array(4).fill('series_listed')])
  })
})

describe('the spending limit of its wallets', () => {
  test('nothing is sent while gas costs more than the limit', async () => {
    const { world, round } = open()
    world.gasPrice = 100n * GWEI + 1n
    expect(await round()).toEqual(['registration: gas costs more than it pays (--max-gas-price)'])
    world.gasPrice = 100n * GWEI
    expect(await round()).toHaveLength(4)
  })

  test('a day has its coin: what was spent counts at its cost, and for 24 hours', async () => {
    const most = REGISTRATION_GAS * 100n * GWEI
    const { world, round } = open({ maxCoinPerDay: most + 2n * 10n ** 15n })
    const over = 'registration: it has spent what it may spend on gas within 24 hours (--max-coin-per-day)'
    expect(await round()).toEqual(['series_listed', 'series_listed', 'series_listed', over])
    world.now += 24 * HOUR_MS - 1
    expect(await round()).toEqual([over])
    world.now += 1
    expect(await round()).toEqual(['series_listed'])
  })

  test('a pending transaction counts at the most that it may cost, and an unsent one at nothing', async () => {
    const most = REGISTRATION_GAS * 100n * GWEI
    const { world, round } = open({ maxCoinPerDay: most })
    world.fails = () => ({ kind: 'failed', error: new Error('unsent'), wasSent: false, isRefusal: false })
    expect(await round()).toEqual(['registration: unsent'])
    expect(await round()).toEqual(['registration: unsent'])
    world.fails = () => ({ kind: 'failed', error: new Error('unmined'), wasSent: true, isRefusal: false })
    expect(await round()).toEqual(['registration: unmined'])
    expect(await round()).toEqual([expect.stringContaining('within 24 hours')])
  })

  test.each([
    [false, 'series_halted'],
    [true, 'halt: it has spent what it may spend on gas within 24 hours (--max-coin-per-day)'],
  ])('registrations leave the guardian its coin, unless both are one wallet (%s)', async (isOneWallet, told) => {
    const { world, round, quiet } = open({ maxCoinPerDay: HALT_GAS * 100n * GWEI }, { isOneWallet })
    await round()
    quiet('a1')
    world.markets = []
    expect(await round()).toEqual([told])
  })
})

test('a round that is stopped ends, and sends nothing more', async () => {
  const { world, lister } = open()
  const end = new AbortController()
  world.fails = () => {
    end.abort(new Error('enough'))
    return null
  }
  await expect(lister.runRound(end.signal)).rejects.toThrow('enough')
  expect(world.registered).toHaveLength(1)
})
