import { describe, expect, it } from 'vitest'
import { type House, openHouses, type TestOption } from './harness/house.ts'
import { hasCurl, runCurlTaker } from './harness/third-party/curl-taker.ts'
import { runEventSourceMaker } from './harness/third-party/eventsource-maker.ts'
import { runFetchMaker, type StrangerInput } from './harness/third-party/fetch-maker.ts'

describe.concurrent.each(openHouses(import.meta.url))('third parties, $mode', (house) => {
  /** What a stranger needs to make the market of one option. */
  async function stranger({ market }: TestOption): Promise<StrangerInput> {
    const { apiKey, wallet } = await house.maker()
    return { ...house.ready, apiKey, wallet, conditionId: market.conditionId }
  }

  it.each([
    ['fetch and a byte reader with a watchdog of 40 s', runFetchMaker, 4_100],
    ['the eventsource package and a first-message auth over ws', runEventSourceMaker, 4_200],
  ])('a maker with %s trades', async (_habits, run, strikeBps) => {
    const option = await house.option({ strikeBps })
    const confirmed = run(await stranger(option))
    const { requestId } = await house.open({}, { strikeBps })
    const stream = await house.stream(`/quote-requests/${requestId}/stream`)
    await stream.until('best_quote', ({ bestQuote }) => bestQuote !== null)
    const committed = await house.commit(requestId, { wallet: house.wallet().address })
    expect(committed).toMatchObject({ status: 200, body: { success: true, quote: { price: 0.25, size: 100 } } })
    expect(await confirmed).toBe(committed.body.quote.quote_id)
  })

  it.skipIf(!hasCurl())('a taker with curl alone trades', async () => {
    const option = await house.option({ strikeBps: 4_300 })
    const confirmed = runFetchMaker(await stranger(option))
    const { created, polled, committed } = await runCurlTaker({
      url: house.ready.url,
      wallet: house.wallet().address,
      request: bodyOf(option),
    })
    expect(created).toMatchObject({ success: true })
    expect(polled).toMatchObject({ success: true, quoteCount: 1, bestQuote: { price: 0.25 } })
    expect(committed).toMatchObject({ success: true, mode: modeOf(house) })
    await confirmed
  })
})

const bodyOf = ({ market, option }: TestOption) => ({ market, option, trade: { side: 'buy', budgetUsd: 20 } })

const modeOf = ({ mode }: House) => (mode === 'simulated' ? 'simulated' : 'onchain')
