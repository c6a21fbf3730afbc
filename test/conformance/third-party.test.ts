import { describe, expect, it } from 'vitest'
import { openServices, type Service, type TestOption } from './harness/service.ts'
import { hasCurl, runCurlTaker } from './harness/third-party/curl-taker.ts'
import { runEventSourceMaker } from './harness/third-party/eventsource-maker.ts'
import { runFetchMaker, type StrangerInput } from './harness/third-party/fetch-maker.ts'

describe.concurrent.each(openServices(import.meta.url))('third parties, $mode', (service) => {
  /** What a stranger needs to make the market of one option. */
  async function stranger({ market }: TestOption): Promise<StrangerInput> {
    const { apiKey, wallet } = await service.maker()
    return { ...service.ready, apiKey, wallet, conditionId: market.conditionId }
  }

  it.each([
    ['fetch and a byte reader with a watchdog of 40 s', runFetchMaker, 4_100],
    ['the eventsource package and a first-message auth over ws', runEventSourceMaker, 4_200],
  ])('a maker with %s trades', async (_habits, run, strikeBps) => {
    const option = await service.option({ strikeBps })
    const confirmed = run(await stranger(option))
    const { requestId } = await service.open({}, { strikeBps })
    const stream = await service.stream(`/quote-requests/${requestId}/stream`)
    await stream.until('best_quote', ({ bestQuote }) => bestQuote !== null)
    const committed = await service.commit(requestId, { wallet: service.wallet().address })
    expect(committed).toMatchObject({ status: 200, body: { success: true, quote: { price: 0.25, size: 100 } } })
    expect(await confirmed).toBe(committed.body.quote.quote_id)
  })

  it.skipIf(!hasCurl())('a taker with curl alone trades', async () => {
    const option = await service.option({ strikeBps: 4_300 })
    const confirmed = runFetchMaker(await stranger(option))
    const { created, polled, committed } = await runCurlTaker({
      url: service.ready.url,
      wallet: service.wallet().address,
      request: bodyOf(option),
    })
    expect(created).toMatchObject({ success: true })
    expect(polled).toMatchObject({ success: true, quoteCount: 1, bestQuote: { price: 0.25 } })
    expect(committed).toMatchObject({ success: true, mode: modeOf(service) })
    await confirmed
  })
})

const bodyOf = ({ market, option }: TestOption) => ({ market, option, trade: { side: 'buy', budgetUsd: 20 } })

const modeOf = ({ mode }: Service) => (mode === 'simulated' ? 'simulated' : 'onchain')
