import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

/** A relay without makers, and commands beside it. A taker asks to buy for $100. */
async function open() {
  const cwd = temporaryDir()
  await serveFrom(cwd)
  const rfqctl = (line: string, options: { onStdout?: (text: string) => void } = {}) =>
    run(line.split(' '), { cwd, ...options })
  const json = async (line: string) => JSON.parse((await rfqctl(`${line} --json`)).stdout)
  const { requestId } = await json('taker request @1 --budget 100')
  const offers = join(cwd, '.rfqctl', 'offers')
  return { cwd, rfqctl, json, requestId, offers }
}

/** Waits until a quote is in its maker's socket's hands: `taker commit` asks it at once. */
const pending = (json: (line: string) => Promise<{ pending: unknown[] }>) =>
  expect.poll(async () => (await json('maker status')).pending).toHaveLength(1)

describe('a maker by hand', () => {
  test('quotes the newest request, signs when the taker commits, and keeps the offer to itself', async () => {
    const { rfqctl, json, requestId, offers } = await open()
    const quote = await json('maker quote --price 0.2 --size 1000')
    expect(quote).toMatchObject({ type: 'quote', requestId, side: 'buy', price: 0.2, size: 1_000 })
    expect(readdirSync(offers)).toEqual([`${quote.quoteId}.json`])
    const confirming = json('maker confirm --wait 20s')
    const committed = await rfqctl('taker commit --json')
    expect(committed.code).toBe(0)
    expect(await confirming).toMatchObject({
      type: 'confirmed',
      quoteId: quote.quoteId,
      makerSelling: true,
      optionAmount: 500,
      premium: 100,
    })
  })

  test('declines, and the taker learns at once that no one signs', async () => {
    const { rfqctl, json, requestId } = await open()
    await json(`maker quote ${requestId.slice(0, 6)} --price 0.2 --size 1000 --lifetime 1m`)
    const declining = json('maker decline --wait 20s --reason moved')
    const { code } = await rfqctl('taker commit')
    expect(code).toBe(6)
    expect(await declining).toMatchObject({ type: 'declined', requestId, reason: 'moved' })
  })

  test('signs nothing that it did not offer, nor two orders for one offer', async () => {
    const { rfqctl, json, offers } = await open()
    const { quoteId } = await json('maker quote --price 0.2 --size 1000')
    const path = join(offers, `${quoteId}.json`)
    const kept = readFileSync(path, 'utf8')
    const committing = rfqctl('taker commit')
    const listening = rfqctl('maker decline nothing --wait 3s')
    await pending(json)
    writeFileSync(path, kept.replace('"nonce": null', '"nonce": 7'))
    expect(await rfqctl('maker confirm --json')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('has nonce 7'),
    })
    writeFileSync(path, kept.replace(/("price": \{\s*"\$bigint": )"200000"/, '$1"200001"'))
    const { code, stderr } = await rfqctl('maker confirm')
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('nothing was signed') })
    await rfqctl('maker decline')
    expect((await committing).code).toBe(6)
    expect((await listening).code).toBe(6)
  })

  test('without an order to sign is asked to connect first, or sees that none came', async () => {
    const { rfqctl } = await open()
    expect(await rfqctl('maker confirm')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('no order waits for your signature'),
    })
    expect((await rfqctl('maker decline abc --wait 10ms')).code).toBe(6)
  })

  test('sees that a request is not open', async () => {
    const { rfqctl } = await open()
    const { code, stderr } = await rfqctl('maker quote zzz --price 0.2 --size 10')
    expect({ code, stderr }).toMatchObject({ code: 5, stderr: expect.stringContaining('no open request is zzz') })
    await rfqctl('taker cancel')
    expect(await rfqctl('maker quote --price 0.2 --size 10')).toMatchObject({ code: 5 })
  })

  test('withdraws one quote or all of them, and asks which one when it is not clear', async () => {
    const { rfqctl, json, requestId } = await open()
    const none = await rfqctl('maker withdraw')
    expect(none).toMatchObject({ code: 5, stderr: expect.stringContaining('this maker has no live quote') })
    const { quoteId } = await json('maker quote --price 0.2 --size 1000')
    expect(await json('maker withdraw')).toEqual({ type: 'withdrawn', requestId, quoteId })
    const { requestId: second } = await json('taker request @1 --budget 50')
    await json(`maker quote ${requestId} --price 0.2 --size 1000`)
    await json(`maker quote ${second} --price 0.2 --size 1000`)
    expect(await rfqctl('maker withdraw')).toMatchObject({ stderr: expect.stringContaining('2 live quotes') })
    expect(await json(`maker withdraw ${second}`)).toMatchObject({ requestId: second })
    await json(`maker quote ${second} --price 0.2 --size 1000`)
    expect(await json('maker withdraw --series @2')).toMatchObject({ type: 'withdrawn', count: 0 })
    expect((await rfqctl('maker withdraw --series @1 --all')).code).toBe(2)
    expect(await json('maker withdraw --all')).toEqual({ type: 'withdrawn', count: 2 })
    expect(await json('maker status')).toMatchObject({ quotes: [] })
  })

  test('reads its history, and the taker commits to the quote it expects or not at all', async () => {
    const { rfqctl, json, requestId } = await open()
    const { quoteId } = await json('maker quote --price 0.2 --size 1000')
    const confirming = json('maker confirm --wait 20s')
    expect((await rfqctl(`taker commit --expect ${requestId}`)).stderr).toContain(
      'The expected quote is no longer the best one',
    )
    expect((await rfqctl(`taker commit --expect ${quoteId}`)).code).toBe(0)
    await confirming
    const outcome = await json('maker history --since 1h --status confirmed')
    expect(outcome).toMatchObject({ type: 'outcome', requestId, quoteId, optionAmount: 500, premium: 100 })
    expect((await rfqctl('maker history --status rejected')).stdout).toBe('')
  })
})

test('an order that its maker signed is cancelled on chain by its nonce, and its history says so', async () => {
  const cwd = temporaryDir()
  const environment = { MAKER_OFFLINE_GRACE_MS: '20000', MAKER_CONFIRMATION_MS: '30000', ORDER_WATCH_MS: '100' }
  await serveFrom(cwd, { hasChain: true, environment })
  const json = async (line: string) => JSON.parse((await run([...line.split(' '), '--json'], { cwd })).stdout)
  await json('taker request @1 --budget 20')
  await json('maker quote --price 0.2 --size 1000')
  const confirming = json('maker confirm --wait 20s')
  await json('taker commit')
  await confirming
  const { nonce, orderStatus } = await json('maker history')
  expect(orderStatus).toEqual({ state: 'open' })
  const cancelled = await json(`maker cancel-nonce ${nonce}`)
  expect(cancelled).toMatchObject({ type: 'nonce_cancelled', nonce, txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
  await expect
    .poll(async () => (await json('maker history')).orderStatus)
    .toMatchObject({ state: 'cancelled', transactionHash: cancelled.txHash })
})

describe('the record of a maker by hand', () => {
  test('is what the relay answers, and for people a fact a line', async () => {
    const { rfqctl, json, requestId } = await open()
    expect(await json('maker standing --account maker-1')).toMatchObject({
      type: 'standing',
      standing: { score: null },
    })
    const { quoteId } = await json('maker quote --price 0.2 --size 1000')
    const confirming = json('maker confirm --wait 20s')
    expect((await rfqctl('taker commit')).code).toBe(0)
    await confirming
    const { standing } = await json('maker standing --account maker-1')
    expect(standing).toMatchObject({
      score: 100,
      outcomes: { declined: 0, confirmed: 1 },
      suspension: null,
      strikes: 0,
      newest: [{ kind: 'confirmed', requestId, quoteId }],
    })
    const { stdout } = await rfqctl('maker standing --account maker-1')
    expect(stdout).toMatch(/score +100 of 100/)
    expect(stdout).toContain(`confirmed ${requestId.slice(0, 8)}`)
  })

  test('is another thing than the list of all makers, which operators see', async () => {
    const { rfqctl, json } = await open()
    await json('maker quote --price 0.2 --size 1000')
    expect((await rfqctl('maker standing')).stdout).toContain('maker-1: 0 confirmed')
  })
})

describe("the relay's data about a maker by hand", () => {
  test('is put as a whole, shown as the relay has it, and keeps the prices that a program gave', async () => {
    const { rfqctl, json, cwd } = await open()
    expect(await json('maker protect')).toMatchObject({ type: 'protections', trip: null, protections: { windows: [] } })
    const put = await json(
      'maker protect --on-disconnect 2s --window 1m --max-accepted 2 --max-notional 100 --freeze 5m',
    )
    expect(put.protections).toEqual({
      cancelOnDisconnect: { graceMs: 2_000, channels: 'all' },
      windows: [{ ms: 60_000, maxAccepted: 2, maxContracts: null, maxNotional: 100, maxCollateral: null }],
      freezeMs: 300_000,
      maxQuoteSize: null,
      references: [],
    })
    expect((await rfqctl('maker protect')).stdout).toContain('at most 2 orders, $100.00 of premium in 1m')
    const { url, makers } = JSON.parse(readFileSync(join(cwd, '.rfqctl', 'sandbox.json'), 'utf8'))
    const reference = { seriesId: '7', price: 0.2, maxDeviation: 0.05 }
    const given = await fetch(`${url}/v1/mm/protections`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'x-api-key': makers[0].apiKey },
      body: JSON.stringify({ references: [reference] }),
    })
    expect(given.status).toBe(200)
    const { protections } = await json('maker protect --max-size 500')
    expect(protections).toMatchObject({ maxQuoteSize: 500, windows: [], references: [reference] })
    expect((await json('maker protect --off')).protections).toMatchObject({ maxQuoteSize: null, references: [] })
  })

  test.each([
    ['--window 1m', 'a window needs a length and a bound'],
    ['--max-accepted 2', 'a window needs a length and a bound'],
    ['--channels any', '--channels belongs to --on-disconnect'],
    ['--off --max-size 5', '--off turns all protections off'],
    ['--reset --max-size 5', '--reset and new protections are two commands'],
    ['--window 25h --max-accepted 1', 'Expected at most 1d'],
    ['--on-disconnect 61m', 'Expected at most 1h'],
  ])('is refused with %s', async (flags, message) => {
    const { code, stderr } = await run(['maker', 'protect', ...flags.split(' ')], { cwd: temporaryDir() })
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
  })
})
