import { describe, expect, test } from 'vitest'
import { connectMakers, serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

describe('taker request --both', () => {
  test('shows both prices, and sells where the commit says so; each side of it needs the other’s words', async () => {
    const cwd = temporaryDir()
    await serveFrom(cwd)
    const stopMaker = await connectMakers(cwd)
    const { series } = JSON.parse((await run(['series', 'list', '--type', 'call', '--json'], { cwd })).stdout)
    const line = ['taker', 'request', series[0].seriesId, '--both', '50', '--json']
    const { stdout } = await run([...line, '--quotes', '1'], { cwd })
    const [request, book] = stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text))
    expect(request).toMatchObject({ trade: { side: 'both', size: 50 }, makersConnected: 1 })
    expect(book).toMatchObject({ bestQuote: { side: 'buy' }, bestBid: { side: 'sell' } })
    expect(book.bestBid.price).toBeLessThan(book.bestQuote.price)
    const shown = await run(['taker', 'quotes'], { cwd })
    expect(shown.stdout).toMatch(/sell at .*, buy at /)
    const sideless = await run(['taker', 'commit', '--json'], { cwd })
    expect(JSON.parse(sideless.stderr)).toMatchObject({ hint: 'name yours with --side buy or --side sell' })
    const committed = await run(['taker', 'commit', '--side', 'sell', '--json'], { cwd })
    expect(JSON.parse(committed.stdout)).toMatchObject({
      type: 'commitment',
      quote: { side: 'sell', fillContracts: 50 },
    })
    const limits = [...line, '--standing-limit', '0.0001']
    expect(JSON.parse((await run(limits, { cwd })).stderr)).toMatchObject({ hint: 'add --side buy or --side sell' })
    const limited = await run([...limits, '--side', 'sell'], { cwd })
    expect(JSON.parse(limited.stdout.trim().split('\n').at(-1) as string)).toMatchObject({ quote: { side: 'sell' } })
    await stopMaker()
  })

  test('is priced by hand with a bid beside the price, which no other request takes', async () => {
    const cwd = temporaryDir()
    await serveFrom(cwd)
    const { series } = JSON.parse((await run(['series', 'list', '--type', 'call', '--json'], { cwd })).stdout)
    const quote = ['maker', 'quote', '--account', 'maker-4', '--price', '0.2', '--size', '100', '--json']
    await run(['taker', 'request', series[0].seriesId, '--both', '50'], { cwd })
    expect(JSON.parse((await run(quote, { cwd })).stderr)).toMatchObject({ error: 'the request asks for both sides' })
    expect(JSON.parse((await run([...quote, '--bid', '0.18'], { cwd })).stdout)).toMatchObject({
      price: 0.2,
      bid: 0.18,
    })
    await run(['taker', 'request', series[0].seriesId, '--size', '50'], { cwd })
    expect(JSON.parse((await run([...quote, '--bid', '0.18'], { cwd })).stderr)).toMatchObject({
      hint: 'leave --bid out',
    })
  })
})
