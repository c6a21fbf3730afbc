import { describe, expect, onTestFinished, test } from 'vitest'
import { createMarketSearch } from '../../../../src/relay/adapters/markets/market-search.ts'
import { json } from '../../../kit/plays.ts'
import { gammaFixture, startGamma } from '../../../support/gamma-server.ts'
import { startSource } from '../sources/source-server.ts'

async function open() {
  const gamma = await startGamma()
  onTestFinished(gamma.close)
  return { gamma, search: createMarketSearch({ url: gamma.url }) }
}

/** The first market of the fixture, with some fields changed, as the only one of a source. */
async function describe1(change: Record<string, unknown>) {
  const [first] = gammaFixture('markets')
  const { url } = await startSource(json([{ ...first, ...change }]), json([]))
  const [market = null] = await createMarketSearch({ url }).search({ text: null, max: 10 })
  return market
}

describe('a search of the public API', () => {
  test('reads pages until one is empty, the most traded markets first', async () => {
    const { gamma, search } = await open()
    const found = await search.search({ text: null, max: 100 })
    expect(found).toHaveLength(7)
    expect(gamma.queries.map((query) => query.get('offset'))).toEqual(['0', '3', '6', '7'])
    expect(Object.fromEntries(gamma.queries[0] ?? [])).toEqual({
      active: 'true',
      closed: 'false',
      archived: 'false',
      order: 'volume24hr',
      ascending: 'false',
      limit: '50',
      offset: '0',
    })
  })

  test('finds by words of the question or the slug, and stops at as many as were asked for', async () => {
    const { gamma, search } = await open()
    const questions = async (text: string, max = 10) =>
      (await search.search({ text, max })).map(({ question }) => question)
    expect(await questions('KRONE dollars')).toEqual(['Will the Norvik krone fall below 0.08 dollars before 2100?'])
    expect(await questions('norvik', 1)).toHaveLength(1)
    expect(await questions('census-late')).toHaveLength(1)
    expect(await questions('zebra')).toEqual([])
    gamma.queries.length = 0
    await questions('norvik', 1)
    expect(gamma.queries).toHaveLength(1)
  })

  test('looks at twenty pages and no more, also of a source that never ends', async () => {
    const [first] = gammaFixture('markets')
    const source = await startSource(json([first]))
    expect(await createMarketSearch({ url: source.url }).search({ text: null, max: 100 })).toHaveLength(1)
    expect(source.queries).toHaveLength(20)
  })

  test('keeps the query of its address, which may order otherwise', async () => {
    const source = await startSource(json([]))
    await createMarketSearch({ url: `${source.url}?tag_id=21&order=liquidityNum` }).search({ text: null, max: 1 })
    expect(source.queries[0]?.getAll('order')).toEqual(['liquidityNum'])
    expect(source.queries[0]?.get('tag_id')).toBe('21')
  })

  test('the YES token is that of the outcome Yes, wherever it is', async () => {
    const { search } = await open()
    const [first, second, third] = await search.search({ text: null, max: 3 })
    const tokens = gammaFixture('markets').map(({ clobTokenIds }) => JSON.parse(String(clobTokenIds)))
    expect(first).toMatchObject({ yesTokenId: tokens[0][0], endsAt: Date.parse('2099-12-31T12:00:00Z') / 1_000 })
    expect(second?.yesTokenId).toBe(tokens[1][1])
    expect(third).toMatchObject({ yesTokenId: null, unfit: null })
  })

  test('a market is found by its condition, also when it is closed', async () => {
    const { search } = await open()
    const [closed] = gammaFixture('markets-closed')
    expect(await search.find(closed?.conditionId as `0x${string}`)).toMatchObject({ unfit: 'it is closed' })
    expect(await search.find(`0x${'00'.repeat(32)}`)).toBeNull()
  })

  test.each<[Record<string, unknown>, string | null]>([
    [{}, null],
    [{ closed: true }, 'it is closed'],
    [{ closed: undefined }, 'the source does not say that it is open'],
    [{ active: false }, 'it is not active'],
    [{ archived: true }, 'it is not active'],
    [{ umaResolutionStatus: 'disputed' }, 'its resolution is disputed'],
    [{ umaResolutionStatus: '\u001b[2J' }, 'its resolution is under way'],
    [{ umaResolutionStatus: '' }, null],
    [{ enableOrderBook: false }, 'it has no order book, and so no price'],
    [{ acceptingOrders: false }, 'it takes no orders, and so has no price'],
  ])('for a market with %j says %s', async (change, unfit) => {
    expect((await describe1(change))?.unfit).toBe(unfit)
  })

  test.each<[Record<string, unknown>]>([
    [{ clobTokenIds: '["1"]' }],
    [{ clobTokenIds: 'nonsense' }],
    [{ clobTokenIds: '["0", "1"]' }],
    [{ clobTokenIds: `["${2n ** 256n}", "1"]` }],
    [{ outcomes: '["Yes", "Maybe"]' }],
    [{ outcomes: '["Yes", "No", "Draw"]' }],
    [{ outcomes: null }],
  ])('a market with %j has no YES token', async (change) => {
    expect(await describe1(change)).toMatchObject({ yesTokenId: null })
  })

  test.each([[{ endDate: '2099-12-31' }], [{ endDate: undefined }], [{ endDate: 'soon' }]])(
    'a market with %j has no end',
    async (change) => {
      expect(await describe1(change)).toMatchObject({ endsAt: null })
    },
  )

  test('a question is shown on one line, and what cannot be named is not listed', async () => {
    expect((await describe1({ question: 'Will\n\u202eit?' }))?.question).toBe('Will it?')
    expect(await describe1({ conditionId: '0x12' })).toBeNull()
    expect(await describe1({ question: ' ' })).toBeNull()
  })

  test('an answer of another shape is an outage, not an empty market', async () => {
    const { url } = await startSource(json({ error: 'no' }))
    const search = createMarketSearch({ url })
    await expect(search.search({ text: null, max: 1 })).rejects.toMatchObject({ code: 'price_source_unavailable' })
  })
})
