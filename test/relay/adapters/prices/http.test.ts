import { describe, expect, it } from 'vitest'
import { createJsonSource } from '../../../../src/relay/adapters/json-source.ts'
import { createHttpPrices } from '../../../../src/relay/adapters/prices/http.ts'
import { json, text } from '../../../kit/plays.ts'
import { createFakeLog } from '../../../support/fake-log.ts'
import { startSource } from '../sources/source-server.ts'

const TOKEN = '71321045679252212594626385532706912750332728571942532289631379312455583992563'
const FROM = 1_767_222_000
const TO = FROM + 1_800

async function sourceOf(...answers: unknown[]) {
  const server = await startSource(...answers.map((answer) => json(answer)))
  const log = createFakeLog()
  const source = createJsonSource({ url: server.url, sleep: async () => {} })
  const prices = createHttpPrices({ url: server.url, log, source })
  return { server, log, history: () => prices.history(TOKEN, FROM, TO) }
}

describe('price histories over HTTP', () => {
  it('asks for one price a minute of the token and the window', async () => {
    const { server, history } = await sourceOf({ history: [{ t: FROM, p: 0.5 }] })
    expect(await history()).toEqual([{ t: FROM, p: 0.5 }])
    expect(Object.fromEntries(server.queries[0] ?? [])).toEqual({
      market: TOKEN,
      startTs: String(FROM),
      endTs: String(TO),
      fidelity: '1',
    })
  })

  it('takes an empty history for a good answer', async () => {
    const { history, log } = await sourceOf({ history: [] })
    expect(await history()).toEqual([])
    expect(log.lines).toEqual([])
  })

  it('keeps what lies in the window, both ends included, and no field beside time and price', async () => {
    const times = [FROM - 1, FROM, FROM + 1, TO - 1, TO, TO + 1]
    const { history } = await sourceOf({ history: times.map((t) => ({ t, p: 0.5, volume: 3 })) })
    expect(await history()).toEqual([FROM, FROM + 1, TO - 1, TO].map((t) => ({ t, p: 0.5 })))
  })

  it.each([
    ['a price below 0', { t: FROM, p: -0.1 }],
    ['a price above 1', { t: FROM, p: 1.01 }],
    ['no price', { t: FROM, p: null }],
    ['a price in a string', { t: FROM, p: '0.5' }],
    ['no time', { p: 0.5 }],
    ['a time in a string', { t: String(FROM), p: 0.5 }],
    ['a time in milliseconds', { t: FROM * 1_000, p: 0.5 }],
    ['a time with a fraction', { t: FROM + 0.5, p: 0.5 }],
    ['a number instead of a point', 0.5],
    ['nothing instead of a point', null],
  ])('drops and counts a point with %s', async (_, bad) => {
    const good = { t: FROM + 60, p: 0.4 }
    const { history, log } = await sourceOf({ history: [bad, good, bad] })
    expect(await history()).toEqual([good])
    expect(log.lines).toMatchObject([{ event: 'price_points_dropped', fields: { count: 2 } }])
  })

  it('declines an answer in which no point can be used, and says why in the log', async () => {
    const { history, log } = await sourceOf({
      history: [
        { t: FROM * 1_000, p: 0.5 },
        { t: TO * 1_000, p: 0.6 },
      ],
    })
    await expect(history()).rejects.toMatchObject({ code: 'price_source_unavailable' })
    expect(log.lines).toMatchObject([{ fields: { count: 2, reason: 'time in milliseconds' } }])
  })

  it.each([
    ['an object without a history', {}],
    ['a history that is no list', { history: { t: FROM, p: 0.5 } }],
    ['a history in a string', { history: '[]' }],
    ['a list', []],
    ['null', null],
    ['an error in a good answer', { error: 'unknown token' }],
  ])('declines %s', async (_, answer) => {
    const { history } = await sourceOf(answer)
    await expect(history()).rejects.toMatchObject({ code: 'price_source_unavailable' })
  })

  it('declines NaN, which is no JSON', async () => {
    const { server, history } = await sourceOf(null)
    server.plays[0] = text(`{"history":[{"t":${FROM},"p":NaN}]}`)
    await expect(history()).rejects.toMatchObject({ code: 'price_source_unavailable' })
  })
})
