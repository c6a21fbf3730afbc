import { describe, expect, it } from 'vitest'
import { isPackage } from '../../../src/protocol/domain/option.ts'
import { type Hex, type ResolutionBps, type StrikeBps, usd6 } from '../../../src/protocol/domain/units.ts'
import { CALL_BUY, createTestRelay, EXPIRY_S, PUT_SELL, refusal, START_MS } from '../../support/test-relay.ts'

const NOW_S = START_MS / 1_000

describe('discovery', () => {
  it('sums each market up with its strikes, expiries and types', async () => {
    const fixture = createTestRelay()
    fixture.register({ ...CALL_BUY, option: { ...CALL_BUY.option, strikeBps: 3_000 as StrikeBps } })
    expect(await fixture.relay.listMarkets()).toEqual([
      {
        name: 'Will it rain?',
        conditionId: CALL_BUY.market.conditionId,
        yesTokenId: '123456789',
        seriesCount: 3,
        strikes: [3_000, 4_500],
        expiries: [EXPIRY_S],
        optionTypes: ['call', 'put'],
        yesPrice: null,
      },
    ])
  })

  it('is of the same markets as before where nothing of them has changed', async () => {
    const fixture = createTestRelay()
    const source = { price: 0.6 }
    fixture.ports.prices.history = async (_token, _from, to) => [{ t: to, p: source.price }]
    const market = async () => (await fixture.relay.listMarkets())[0]
    const first = await market()
    expect(await market()).toBe(first)
    fixture.register({ ...CALL_BUY, option: { ...CALL_BUY.option, strikeBps: 3_000 as StrikeBps } })
    const second = await market()
    expect(second).not.toBe(first)
    source.price = 0.7
    await fixture.clock.advance(15_000)
    expect(await market()).toBe(second)
    expect(await market()).not.toBe(second)
  })

  it('says the newest YES price; a source that is slow or down later on neither slows nor fails it', async () => {
    const fixture = createTestRelay()
    const source = { price: 0.6, isDown: false }
    fixture.ports.prices.history = async (_token, _from, to) => {
      if (source.isDown) throw new Error('the price source is down')
      return [{ t: to, p: source.price }]
    }
    const priceNow = async () => (await fixture.relay.listMarkets())[0]?.yesPrice
    expect(await priceNow()).toBe(0.6)
    source.price = 0.7
    expect(await priceNow()).toBe(0.6)
    await fixture.clock.advance(15_000)
    expect(await priceNow()).toBe(0.6)
    expect(await priceNow()).toBe(0.7)
    fixture.ports.prices.history = () => new Promise(() => {})
    await fixture.clock.advance(15_000)
    expect(await priceNow()).toBe(0.7)
  })

  describe('on a chain whose time can be moved', () => {
    function movable() {
      const fixture = createTestRelay()
      fixture.chain.isMovable = true
      const source = { asked: 0 }
      fixture.ports.prices.history = async (_token, _from, to) => {
        source.asked += 1
        return [{ t: to, p: to - NOW_S < 1_800 ? 0.6 : 0.7 }]
      }
      const priceNow = async () => (await fixture.relay.listMarkets())[0]?.yesPrice
      return { ...fixture, source, priceNow }
    }

    it('says the price of the new time at once', async () => {
      const { chain, source, priceNow } = movable()
      expect([await priceNow(), await priceNow(), source.asked]).toEqual([0.6, 0.6, 1])
      chain.aheadS = 1_800
      expect([await priceNow(), await priceNow(), source.asked]).toEqual([0.7, 0.7, 2])
    })

    it('tells makers no price of the former time', async () => {
      const { chain, open, ports, clock, priceNow } = movable()
      const told = async () => (ports.book.known((await open()).requestId)?.market ?? {}) as { yesPrice?: number }
      await priceNow()
      expect((await told()).yesPrice).toBe(0.6)
      chain.aheadS = 1_800
      expect((await told()).yesPrice).toBeUndefined()
      await clock.advance(0)
      expect((await told()).yesPrice).toBe(0.7)
    })

    it('keeps its prices while blocks come late, and while the chain is away', async () => {
      const { chain, source, priceNow } = movable()
      await priceNow()
      chain.aheadS = -14
      expect([await priceNow(), source.asked]).toEqual([0.6, 1])
      chain.down = true
      expect([await priceNow(), source.asked]).toEqual([0.6, 1])
    })
  })

  it('asks a chain whose time no one moves for it only when it asks for prices', async () => {
    const fixture = createTestRelay()
    let asked = 0
    const { time } = fixture.chain
    fixture.ports.chain.time = (freshness) => {
      asked += 1
      return time(freshness)
    }
    await fixture.relay.listMarkets()
    const once = asked
    await fixture.relay.listMarkets()
    expect(asked).toBe(once)
  })

  describe('for a market whose source is down', () => {
    function nameless() {
      const source = { asked: 0, down: true }
      const question = async () => {
        source.asked += 1
        return source.down ? Promise.reject(new Error('the market source is down')) : 'Will it rain?'
      }
      const fixture = createTestRelay({ ports: { markets: { question, outcome: async () => null } } })
      const nameNow = async () => (await fixture.relay.listMarkets())[0]?.name
      return { fixture, source, nameNow }
    }

    it('names it by its id', async () => {
      expect(await nameless().nameNow()).toBe('0x11111111…111111')
    })

    it('asks again a minute later, without keeping a client waiting, and never once it has a name', async () => {
      const { fixture, source, nameNow } = nameless()
      await nameNow()
      source.down = false
      await fixture.clock.advance(59_999)
      expect([await nameNow(), source.asked]).toEqual(['0x11111111…111111', 1])
      await fixture.clock.advance(1)
      expect(await nameNow()).toBe('0x11111111…111111')
      expect(await nameNow()).toBe('Will it rain?')
      await fixture.clock.advance(3_600_000)
      expect([await nameNow(), source.asked]).toEqual(['Will it rain?', 2])
    })

    it('asks once for all that list at the same time', async () => {
      const { source, nameNow } = nameless()
      source.down = false
      expect(await Promise.all([nameNow(), nameNow()])).toEqual(['Will it rain?', 'Will it rain?'])
      expect(source.asked).toBe(1)
    })

    it('has the name before the first client lists, once the relay runs', async () => {
      const { fixture, source } = nameless()
      source.down = false
      await fixture.relay.start()
      await fixture.clock.advance(0)
      expect(source.asked).toBe(1)
      fixture.relay.stop()
    })
  })

  it('reads the series again at every interval, and continues after a fault', async () => {
    let refreshes = 0
    const { ports, clock, relay, log } = createTestRelay({ settings: { seriesRefreshMs: 1_000 } })
    ports.seriesIndex.refresh = async () => {
      refreshes += 1
      if (refreshes === 3) throw new Error('the chain is down')
    }
    await relay.start()
    await clock.advance(4_000)
    expect(refreshes).toBe(6)
    expect(log.lines.map(({ event }) => event)).toEqual(['series_refresh_failed'])
    relay.stop()
  })

  it('gives thousands of series of hundreds of markets in one answer', async () => {
    const fixture = createTestRelay()
    for (let i = 0; i < 10_000; i += 1) {
      const conditionId: Hex = `0x${String(i % 500).padStart(64, '0')}`
      const market = { ...CALL_BUY.market, conditionId }
      const strikeBps = (1 + Math.floor(i / 500)) as StrikeBps
      fixture.register({ ...CALL_BUY, market, option: { ...CALL_BUY.option, strikeBps } })
    }
    const markets = await fixture.relay.listMarkets()
    expect(markets).toHaveLength(501)
    expect(markets.filter(({ seriesCount }) => seriesCount === 20)).toHaveLength(500)
    expect(await fixture.relay.listSeries({})).toHaveLength(10_002)
  })

  it('lets series through by market, type and state', async () => {
    const { relay, register, chain } = createTestRelay()
    const put = register(PUT_SELL)
    chain.registered.set(put.seriesId, { ...put, resolutionBps: 40 as ResolutionBps })
    const ids = async (filter: Parameters<typeof relay.listSeries>[0]) =>
      (await relay.listSeries(filter)).map((series) => (isPackage(series) ? 'package' : series.optionType))
    expect(await ids({})).toEqual(['call', 'put'])
    expect(await ids({ optionType: 'put' })).toEqual(['put'])
    expect(await ids({ settled: false })).toEqual(['call'])
    expect(await ids({ settled: true })).toEqual(['put'])
    expect(await ids({ conditionId: `0x${'22'.repeat(32)}` })).toEqual([])
  })

  it('finds a series by its id in decimal or hex, and nothing by a malformed one', async () => {
    const { relay, register } = createTestRelay()
    const series = register()
    expect(await relay.findSeries(series.seriesId)).toEqual(series)
    expect(await relay.findSeries(`0x${BigInt(series.seriesId).toString(16).toUpperCase()}`)).toEqual(series)
    for (const id of ['', 'x', '-1', '0x', '1e18', (2n ** 256n).toString()]) {
      expect(await refusal(relay.findSeries(id))).toBe('series_not_found')
    }
  })
})

describe('a maker key', () => {
  const digest = '2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b'

  it('names its maker, and no other text does', async () => {
    const { relay } = createTestRelay({ settings: { staticKeys: [{ digest, makerId: 'ada' }] } })
    expect(await relay.authenticateMaker('secret')).toEqual({ makerId: 'ada', key: null })
    for (const key of [null, '', 'Secret', digest])
      expect(await refusal(relay.authenticateMaker(key))).toBe('invalid_api_key')
  })

  it('is not needed in open mode, where a text of its own makes a maker of its own', async () => {
    const { relay } = createTestRelay({ settings: { openMode: true } })
    expect((await relay.authenticateMaker(null)).makerId).toBe('anonymous')
    expect((await relay.authenticateMaker('secret')).makerId).toBe('anon-2bb80d53')
  })
})

describe('a maker', () => {
  it('sees its live quotes and what waits for its signature', async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const [first, second] = [await fixture.open(), await fixture.open()]
    await fixture.quote('ada', first.requestId)
    await fixture.quote('ada', second.requestId, { price: usd6(100_000n) })
    await fixture.quote('bob', second.requestId)
    const commit = refusal(fixture.commit(first.requestId))
    await fixture.clock.advance(1_000)
    const { quotes, pending } = await fixture.relay.makerBook('ada')
    expect(quotes.map(({ requestId }) => requestId)).toEqual([first.requestId, second.requestId])
    expect(pending.map(({ requestId }) => requestId)).toEqual([first.requestId])
    await fixture.clock.advance(10_000)
    await commit
  })
})
