import { beforeAll, describe, expect, it } from 'vitest'

import { eventually } from '../kit/eventually.ts'
import { withField } from '../kit/with-field.ts'
import { decimalText, failure, isoTime, uuid } from './harness/match.ts'
import { type Created, openServices } from './harness/service.ts'
import type { SseStream } from './harness/sse.ts'

const CONDITION = `0x${'ab'.repeat(32)}`
const IN_A_DAY = Date.now() + 86_400_000

const buy = () => ({
  market: { conditionId: CONDITION, yesTokenId: '123456789', question: 'Will it rain?' },
  option: { strikeBps: 4_500, expiryMs: IN_A_DAY, optionType: 'call' },
  trade: { side: 'buy', budgetUsd: 100 },
})
const sell = () => ({ ...buy(), trade: { side: 'sell', size: 40 } })

const UNICODE_TRAPS = ['\u0000', '\u001b[31m', '\u001b]52;c;eA==\u0007', '\u202e', '\u2066', '\n', '\ud800', '\u0085']

describe.concurrent.each(openServices(import.meta.url))('quote requests, $mode', (service) => {
  const create = (body: unknown) => service.call<Created>('POST', '/quote-requests', { body })
  let stream: SseStream

  beforeAll(async () => {
    const maker = await service.maker({ funded: false })
    stream = await maker.stream()
    await stream.until('snapshot_complete')
  })

  /** What makers are told about a request. */
  async function broadcast(requestId: string): Promise<Record<string, Record<string, unknown>>> {
    const find = () => stream.events.all().find(({ data }) => data.requestId === requestId)
    const event = await eventually(find, (found) => found !== undefined)
    return event?.data.params as Record<string, Record<string, unknown>>
  }

  it('POST /quote-requests answers requestId, expiresAt and makersConnected', async () => {
    const { status, body } = await create(buy())
    expect(status).toBe(200)
    expect(body).toMatchObject({ success: true, requestId: expect.any(String), expiresAt: isoTime() })
    expect(Number.isInteger(body.makersConnected)).toBe(true)
    expect(body.makersConnected).toBeGreaterThanOrEqual(1)
  })

  it('ids are UUIDs, and the answer carries takerSecret, seriesId and seriesListed (decisions Q1, Q3)', async () => {
    const { body } = await create(buy())
    expect(body).toMatchObject({
      requestId: uuid(),
      takerSecret: expect.stringMatching(/^.{20,}$/),
      seriesId: decimalText(),
      seriesListed: false,
    })
    const { series } = (await service.call<{ series: Record<string, unknown>[] }>('GET', '/v1/series?settled=false'))
      .body
    // The one that ends last: others may end while this is asked.
    const [last] = series.toSorted((a, b) => Number(b.expiry) - Number(a.expiry))
    const { conditionId, yesClobTokenId, strikeBps, expiry, optionType, seriesId } = last ?? {}
    const listed = await create({
      ...buy(),
      market: { conditionId, yesTokenId: yesClobTokenId },
      option: { strikeBps, expiryMs: Number(expiry) * 1_000, optionType },
    })
    expect(listed.body).toMatchObject({ seriesId, seriesListed: true })
  })

  it('a repeat of the same clientRequestId and terms is the same request, announced to makers once (protocol open-6)', async () => {
    const body = { ...buy(), clientRequestId: crypto.randomUUID() }
    const [one, two] = await Promise.all([create(body), create(body)])
    expect([one.status, two.status]).toEqual([200, 200])
    const { requestId, takerSecret, expiresAt } = one.body
    expect(two.body).toMatchObject({ requestId, takerSecret, expiresAt })
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/)
    expect(await create({ ...body, clientRequestId: body.clientRequestId.toUpperCase() })).toMatchObject({
      body: { requestId, takerSecret },
    })
    await broadcast(requestId)
    const { body: marker } = await create(buy())
    await broadcast(marker.requestId)
    expect(stream.events.all().filter(({ data }) => data.requestId === requestId)).toHaveLength(1)
    expect(JSON.stringify(await broadcast(requestId))).not.toContain(body.clientRequestId)
    const cancelled = await service.call('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret } })
    expect(cancelled.status).toBe(200)
    expect(await create(body)).toMatchObject({ status: 200, body: { requestId, takerSecret } })
  })

  it('the same clientRequestId with other terms is 409, and neither opens nor tells anything (protocol open-6)', async () => {
    const body = { ...buy(), clientRequestId: crypto.randomUUID() }
    const { takerSecret } = (await create(body)).body
    for (const other of [
      { ...body, locked: true },
      withField(body, 'trade.budgetUsd', 101),
      { ...sell(), ...body, trade: sell().trade },
    ]) {
      const answer = await create(other)
      expect(answer).toMatchObject({ status: 409, body: failure('client_request_id_reused') })
      expect(answer.text).not.toContain(takerSecret)
    }
  })

  it('a clientRequestId is a random UUID or absent, and is not shown where it is refused (protocol open-6)', async () => {
    expect((await create({ ...buy(), clientRequestId: null })).status).toBe(200)
    for (const bad of [
      '',
      'desk-000001',
      '00000000-0000-0000-0000-000000000000',
      'x'.repeat(5_000),
      7,
      {},
      [crypto.randomUUID()],
    ]) {
      const { status, body, text } = await create({ ...buy(), clientRequestId: bad })
      expect({ status, body }).toMatchObject({ status: 400, body: failure('invalid_request') })
      expect(text).toContain('clientRequestId')
      expect(text).not.toContain('desk-000001')
    }
    const { body } = await create({ ...buy(), client_request_id: crypto.randomUUID() })
    expect(body).toMatchObject(failure('invalid_request'))
  })

  it('a request lives for 5 minutes by default (protocol open-1)', async () => {
    const before = Date.now()
    const { body } = await create(buy())
    const expiresAt = Date.parse(body.expiresAt)
    expect(expiresAt).toBeGreaterThanOrEqual(before + 300_000)
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + 300_000)
  })

  it('a request never outlives its option (decision Q3)', async () => {
    const expiryMs = Date.now() + 60_500
    const { body } = await create(withField(buy(), 'option.expiryMs', expiryMs))
    expect(Date.parse(body.expiresAt)).toBeLessThanOrEqual(expiryMs)
    expect(Date.parse(body.expiresAt)).toBeGreaterThan(expiryMs - 1_001)
  })

  it('on a buy makers see wallet null, the market, the option, and budgetUsd without size', async () => {
    const { body } = await create(buy())
    const params = await broadcast(body.requestId)
    expect(params).toEqual({ wallet: null, ...buy() })
  })

  it('on a sell makers see size without budgetUsd', async () => {
    const { body } = await create(sell())
    expect((await broadcast(body.requestId)).trade).toEqual({ side: 'sell', size: 40 })
  })

  it('makers see the wallet in params when the taker named it', async () => {
    const { address } = service.wallet()
    const { body } = await create({ ...buy(), wallet: address })
    expect((await broadcast(body.requestId)).wallet).toBe(address)
  })

  it.each([
    [0, 'call'],
    [1, 'put'],
  ])('in option.optionType the numeric %i is a %s (decision Q2)', async (numeric, name) => {
    const { status, body } = await create(withField(buy(), 'option.optionType', numeric))
    expect(status).toBe(200)
    expect((await broadcast(body.requestId)).option?.optionType).toBe(name)
  })

  it('expiryMs is echoed as sent, and null means an absent optional field (decision Q2)', async () => {
    const expiryMs = IN_A_DAY - (IN_A_DAY % 1_000) + 789
    const body = withField(withField(buy(), 'option.expiryMs', expiryMs), 'trade.size', null)
    const { body: created } = await create({ ...withField(body, 'market.question', null), wallet: null })
    const params = await broadcast(created.requestId)
    expect(params.option?.expiryMs).toBe(expiryMs)
    expect(params.trade).toEqual({ side: 'buy', budgetUsd: 100 })
  })

  it('an unknown field is ignored and never forwarded (decision Q2)', async () => {
    const strange = { ...withField(buy(), 'trade.leverage', 5), referrer: 'somebody' }
    const { status, body } = await create(strange)
    expect(status).toBe(200)
    const text = JSON.stringify(await broadcast(body.requestId))
    expect(text).not.toMatch(/leverage|referrer|somebody/)
  })

  it.each(['trade.budget_usd', 'trade.BudgetUSD', 'Wallet', 'Locked', 'market.Question'])(
    'a mistyped optional field is refused by name: %s (decision Q2)',
    async (path) => {
      const { status, body, text } = await create(withField(sell(), path, 1))
      expect({ status, body }).toMatchObject({ status: 400, body: failure('invalid_request') })
      expect(text).toContain(path.split('.').pop())
    },
  )

  it.each([
    'market',
    'market.conditionId',
    'market.yesTokenId',
    'option',
    'option.strikeBps',
    'option.expiryMs',
    'option.optionType',
    'trade',
    'trade.side',
    'trade.budgetUsd',
  ])('creation requires %s (decision Q2)', async (path) => {
    for (const value of [undefined, null]) {
      const { status, body } = await create(withField(buy(), path, value))
      expect({ status, body }).toMatchObject({ status: 400, body: failure('invalid_request') })
    }
  })

  it('a sell requires size, and the other amount is refused on either side (decision Q2)', async () => {
    const bodies = [
      withField(sell(), 'trade.size', undefined),
      withField(sell(), 'trade.budgetUsd', 1),
      withField(buy(), 'trade.size', 1),
    ]
    for (const body of bodies) expect((await create(body)).status).toBe(400)
  })

  it.each([
    ['option.strikeBps', [1, 9_999], [0, 10_000, -1, 4_500.5, '4500', true, [4_500]]],
    ['trade.budgetUsd', [0.01, 1e9], [0, -1, 1e9 + 1, '100', true, [100], 1e-7]],
    ['option.expiryMs', [IN_A_DAY], [Date.now() - 1_000, 0, -1, IN_A_DAY + 0.5, 'tomorrow', 2 ** 60]],
    ['option.optionType', ['call', 'put', 0, 1], [2, 'CALL', '', 'straddle', true]],
    ['trade.side', ['buy'], ['BUY', 'hold', 1]],
    [
      'market.conditionId',
      [CONDITION, `0x${'AB'.repeat(32)}`],
      [`0x${'ab'.repeat(31)}a`, `${CONDITION}0`, 'ab'.repeat(32), `0x${'zz'.repeat(32)}`, 7],
    ],
    ['market.yesTokenId', ['0', String(2n ** 256n - 1n)], [String(2n ** 256n), '-1', '', '1e18', '1.5', 5]],
    ['market.question', ['', 'x'.repeat(300)], ['x'.repeat(301), 7, ...UNICODE_TRAPS.map((trap) => `a${trap}b`)]],
  ])('the bounds of %s hold (decisions Q2, U3)', async (path, taken, refused) => {
    for (const value of taken)
      expect([value, (await create(withField(buy(), path, value))).status]).toEqual([value, 200])
    for (const value of refused) {
      expect([value, (await create(withField(buy(), path, value))).status]).toEqual([value, 400])
    }
  })

  it('trade.size is an integer from 1 to a thousand million (protocol value-5, decision U2)', async () => {
    for (const size of [1, 1e9]) expect((await create(withField(sell(), 'trade.size', size))).status).toBe(200)
    for (const size of [0, -1, 1.5, 1e9 + 1, '5', [5], true]) {
      expect([size, (await create(withField(sell(), 'trade.size', size))).status]).toEqual([size, 400])
    }
  })

  it('a wallet has any one case or the right checksum, never a wrong one, and is not the zero address (protocol value-7, decision Q2)', async () => {
    const { address } = service.wallet()
    const lower = address.toLowerCase()
    const wrong = address.replace(/[a-f]/i, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    )
    const refused = [wrong, `0x${'0'.repeat(40)}`, lower.slice(0, -1), `${lower}0`, 'maker.eth', lower.slice(2), '', 5]
    for (const wallet of [address, lower, `0x${lower.slice(2).toUpperCase()}`]) {
      expect([wallet, (await create({ ...buy(), wallet })).status]).toEqual([wallet, 200])
    }
    for (const wallet of refused) expect([wallet, (await create({ ...buy(), wallet })).status]).toEqual([wallet, 400])
  })

  it('conditionId counts in lower case, expiry in whole seconds (decision U6)', async () => {
    const { body: plain } = await create(buy())
    const upper = withField(buy(), 'market.conditionId', `0x${'AB'.repeat(32)}`)
    const { body: shouted } = await create(withField(upper, 'option.expiryMs', IN_A_DAY - (IN_A_DAY % 1_000)))
    expect(shouted.seriesId).toBe(plain.seriesId)
  })

  it('a budget is rounded down to a millionth of a dollar (decision U2)', async () => {
    const { body } = await create(withField(buy(), 'trade.budgetUsd', 12.3456789))
    expect((await broadcast(body.requestId)).trade?.budgetUsd).toBe(12.345678)
  })
})
