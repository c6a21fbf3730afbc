import { describe, expect, it } from 'vitest'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import { type Address, usd6 } from '../../../src/protocol/domain/units.ts'
import { settle } from '../../support/fake-clock.ts'
import {
  COST,
  createTestRelayer,
  fillOf,
  hashOf,
  mined,
  refused,
  STRANGER,
  type TestRelayer,
  TRANSACTION,
} from './fixture.ts'

const CLIENT = '203.0.113.7'
const HOUR_MS = 3_600_000

const of = (nonce: number) => fillOf({ order: { nonce } })
const submit = ({ relayer }: TestRelayer, fill = fillOf(), client = CLIENT) => relayer.submit(fill, client)
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (fault: RfqError) => fault.code,
  )

/** Submits fills that wait: the first is sent and not mined, the others are behind it. */
async function submitSlowly(test: TestRelayer, ...nonces: number[]) {
  test.chain.isQuick = false
  const submitted = nonces.map((nonce) => submit(test, of(nonce)))
  await settle()
  return { submitted }
}

describe('a fill that is submitted', () => {
  it('is sent for the fee of the relayer, and answered once it is', async () => {
    const test = createTestRelayer()
    const fill = fillOf({ authorization: { maxFee: usd6(900_000n) } })
    const status = await submit(test, fill)
    expect(status).toMatchObject({ orderHash: hashOf(fill.order), transactionHash: TRANSACTION })
    expect(test.chain.sent).toEqual([{ nonce: 1, fee: 50_000n }])
    await settle()
    expect(test.relayer.status(hashOf(fill.order))).toMatchObject({ status: 'filled', transactionHash: TRANSACTION })
    expect(test.counted).toEqual(['submitted', `${COST}`, 'filled'])
  })

  it('is reported as sent while it is not mined, and as queued when it waits too long for its turn', async () => {
    const test = createTestRelayer()
    const {
      submitted: [first, second],
    } = await submitSlowly(test, 1, 2)
    expect(await first).toMatchObject({ status: 'sent', transactionHash: TRANSACTION })
    await test.clock.advance(8_000)
    expect(await second).toMatchObject({ status: 'queued', transactionHash: null })
    test.chain.pending[0]?.(mined())
    await settle()
    expect(test.relayer.status(hashOf(of(2).order)).status).toBe('sent')
  })

  it('is not sent when the contract would refuse it, and the reason is reported', async () => {
    const test = createTestRelayer()
    test.chain.refusal = refused('TakerBalanceLow')
    await expect(submit(test)).rejects.toMatchObject({
      code: 'fill_refused',
      data: { contractError: 'TakerBalanceLow' },
    })
    expect(test.chain.sent).toEqual([])
    expect(await codeOf(Promise.resolve().then(() => test.relayer.status(hashOf(fillOf().order))))).toBe(
      'fill_not_found',
    )
  })

  it('is not sent when it takes more gas than is paid for', async () => {
    const test = createTestRelayer()
    test.chain.refusal = new RfqError('fill_too_expensive')
    expect(await codeOf(submit(test))).toBe('fill_too_expensive')
    expect(test.chain.sent).toEqual([])
  })

  it('is not even tried when its own words are against it', async () => {
    const test = createTestRelayer()
    expect(await codeOf(submit(test, fillOf({ authorization: { feeRecipient: STRANGER } })))).toBe(
      'authorization_mismatch',
    )
    expect(test.chain.simulated).toBe(0)
    expect(test.counted).toEqual(['authorization_mismatch'])
  })

  it('that reverted is reported as reverted, with the reason', async () => {
    const test = createTestRelayer()
    const {
      submitted: [submitted],
    } = await submitSlowly(test, 1)
    await submitted
    test.chain.refusal = refused('SignatureInvalid')
    test.chain.pending[0]?.(mined(false))
    await settle()
    expect(test.relayer.status(hashOf(of(1).order))).toMatchObject({
      status: 'failed',
      failure: 'reverted',
      reason: 'It refuses.',
    })
  })

  it('that is refused when its turn comes is reported as refused, and holds no coin', async () => {
    const test = createTestRelayer()
    const {
      submitted: [submitted],
    } = await submitSlowly(test, 1)
    await submitted
    test.chain.pending[0]?.(refused('OrderExpired'))
    await settle()
    expect(test.relayer.status(hashOf(of(1).order))).toMatchObject({ status: 'failed', failure: 'refused' })
    expect((await test.relayer.figures()).paidToday).toBe(0n)
  })

  it('can be submitted again after it has failed', async () => {
    const test = createTestRelayer()
    const {
      submitted: [submitted],
    } = await submitSlowly(test, 1)
    await submitted
    test.chain.pending[0]?.({ kind: 'unmined' })
    await settle()
    test.chain.isQuick = true
    await submit(test, of(1))
    await settle()
    expect(test.relayer.status(hashOf(of(1).order)).status).toBe('filled')
  })

  it('has its signatures forgotten once it has ended, and none is ever logged', async () => {
    const test = createTestRelayer()
    await submit(test)
    await settle()
    test.chain.refusal = refused('SignatureInvalid')
    await codeOf(submit(test, of(2)))
    expect(test.log.lines.length).toBeGreaterThan(0)
    expect(JSON.stringify(test.log.lines)).not.toMatch(/(11){30}|(22){30}|(33){30}/)
  })
})

describe('an order', () => {
  it('has one transaction, however often the same fill is submitted', async () => {
    const test = createTestRelayer()
    test.chain.isQuick = false
    const answers = Promise.all([submit(test), submit(test), submit(test)])
    await settle()
    await submit(test)
    expect(new Set((await answers).map(({ status }) => status))).toEqual(new Set(['sent']))
    expect(test.chain.sent).toHaveLength(1)
    test.chain.pending[0]?.(mined())
    await settle()
    expect(await submit(test)).toMatchObject({ status: 'filled', transactionHash: TRANSACTION })
    expect(test.chain.sent).toHaveLength(1)
  })

  it('takes no other submission while one is on its way', async () => {
    const test = createTestRelayer()
    await submitSlowly(test, 1)
    expect(await codeOf(submit(test, fillOf({ takerSignature: '0x44' })))).toBe('fill_in_progress')
  })

  it('that another party has filled is reported as filled, and costs nothing', async () => {
    const test = createTestRelayer()
    const theirs = `0x${'bb'.repeat(32)}` as const
    test.chain.filled.set(1, theirs)
    expect(await submit(test)).toMatchObject({ status: 'filled', transactionHash: theirs })
    expect(test.chain.sent).toEqual([])
  })

  it('that another party fills first is reported as filled, though the transaction of the relayer reverts', async () => {
    const test = createTestRelayer()
    const theirs = `0x${'bb'.repeat(32)}` as const
    const {
      submitted: [submitted],
    } = await submitSlowly(test, 1)
    await submitted
    test.chain.filled.set(1, theirs)
    test.chain.pending[0]?.(mined(false))
    await settle()
    expect(test.relayer.status(hashOf(of(1).order))).toMatchObject({ status: 'filled', transactionHash: theirs })
    // Nothing that its taker did: it is not counted against it.
    test.chain.isQuick = true
    for (const nonce of [2, 3, 4]) await submit(test, of(nonce))
  })

  it('with a cancelled nonce is refused', async () => {
    const test = createTestRelayer()
    test.chain.refusal = refused('NonceUsed')
    await expect(submit(test)).rejects.toMatchObject({ code: 'fill_refused', data: { contractError: 'NonceUsed' } })
  })

  it('is not paid for twice by a relayer that was started again', async () => {
    const before = createTestRelayer()
    await submit(before)
    await settle()
    const after = createTestRelayer()
    after.chain.filled = before.chain.filled
    expect(await submit(after)).toMatchObject({ status: 'filled', transactionHash: TRANSACTION })
    expect(after.chain.sent).toEqual([])
  })
})

describe('the limits of a relayer', () => {
  const refusal = async (test: TestRelayer, fill = fillOf()) =>
    submit(test, fill, 'another client').then(
      () => null,
      ({ code, message, data }: RfqError) => ({ code, message, ...data }),
    )

  it('bound the fills of an hour', async () => {
    const test = createTestRelayer({ maxFillsPerHour: 2 })
    await submit(test, of(1))
    await submit(test, of(2))
    expect(await refusal(test, of(3))).toMatchObject({ code: 'relayer_unavailable', retryAfterS: 3_600 })
    expect(await test.relayer.terms()).toMatchObject({
      isAccepting: false,
      reason: 'It has taken 2 fills within the hour.',
    })
    await test.clock.advance(HOUR_MS)
    const late = NOW_PLUS_HOUR
    expect(await refusal(test, fillOf(late))).toBe(null)
  })

  it('hold for fills that come together, and are tried at the same time', async () => {
    const hourly = createTestRelayer({ maxFillsPerHour: 1 })
    const codes = await Promise.all([1, 2, 3].map((nonce) => codeOf(submit(hourly, of(nonce)))))
    expect(codes.toSorted()).toEqual([null, 'relayer_unavailable', 'relayer_unavailable'])
    expect(hourly.chain.sent).toHaveLength(1)
    const client = createTestRelayer({ maxFillsPerClient: 1 })
    const refusals = await Promise.all([1, 2].map((nonce) => codeOf(submit(client, of(nonce)))))
    expect(refusals.toSorted()).toEqual([null, 'too_many_requests'])
  })

  it('bound the fills of a client, whatever others do', async () => {
    const test = createTestRelayer({ maxFillsPerClient: 1 })
    await submit(test, of(1))
    expect(await codeOf(submit(test, of(2)))).toBe('too_many_requests')
    expect(await refusal(test, of(2))).toBe(null)
  })

  it('bound the gas that reverted fills cost, of a taker and of a client', async () => {
    const test = createTestRelayer()
    for (const nonce of [1, 2, 3]) {
      await (await submitSlowly(test, nonce)).submitted[0]
      test.chain.pending.pop()?.(mined(false))
      await settle()
    }
    expect(await codeOf(submit(test, of(4)))).toBe('too_many_requests')
    expect(await refusal(test, of(4))).toMatchObject({ code: 'too_many_requests', retryAfterS: 3_600 })
    const other: Address = STRANGER
    expect(await codeOf(submit(test, fillOf({ order: { nonce: 5, taker: other } })))).toBe('too_many_requests')
    test.chain.isQuick = true
    expect(await refusal(test, fillOf({ order: { nonce: 5, taker: other } }))).toBe(null)
  })

  it('let no taker take the turns of others with money that is enough for one fill', async () => {
    const test = createTestRelayer({ maxFillsPerHour: 3, maxQueue: 10 })
    await submitSlowly(test, 1, 2, 3)
    const other = fillOf({ order: { nonce: 9, taker: STRANGER } })
    expect(await refusal(test, other)).toMatchObject({ code: 'relayer_unavailable' })
    // Its money is gone: what waits is refused when its turn comes, and does not count.
    for (const turn of [0, 1, 2]) {
      test.chain.pending[turn]?.(turn === 0 ? mined() : refused('ERC20InsufficientBalance'))
      await settle()
    }
    test.chain.isQuick = true
    expect(await refusal(test, other)).toBe(null)
  })

  it('bound the fills of a taker that wait', async () => {
    const test = createTestRelayer({ maxQueue: 10 })
    await submitSlowly(test, 1, 2, 3, 4, 5)
    expect(await refusal(test, of(6))).toMatchObject({ code: 'too_many_requests', retryAfterS: 5 })
    const other = submit(test, fillOf({ order: { nonce: 7, taker: STRANGER } }))
    await settle()
    expect((await test.relayer.figures()).queued).toBe(5)
    const closed = test.relayer.close()
    expect(await other).toMatchObject({ failure: 'shutting_down' })
    test.chain.pending[0]?.(mined())
    await closed
  })

  it('bound the price of gas', async () => {
    const test = createTestRelayer()
    test.chain.gasPrice = 100n * 10n ** 9n + 1n
    expect(await refusal(test)).toMatchObject({
      code: 'relayer_unavailable',
      message: expect.stringContaining('Gas costs'),
    })
    expect(test.chain.simulated).toBe(0)
  })

  it('bound the coin of a day: what was paid counts, and what a fill may cost must be left', async () => {
    const most = 1_000_000n * 100n * 10n ** 9n
    const test = createTestRelayer({ maxCoinPerDay: most + COST })
    await submit(test, of(1))
    await settle()
    expect((await test.relayer.figures()).paidToday).toBe(COST)
    await submit(test, of(2))
    await settle()
    expect(await refusal(test, of(3))).toMatchObject({ message: expect.stringContaining('spent what it may') })
    await test.clock.advance(24 * HOUR_MS)
    expect((await test.relayer.terms()).isAccepting).toBe(true)
  })

  it('let no fill be sent whose cost is not left any more when its turn comes', async () => {
    const most = 1_000_000n * 100n * 10n ** 9n
    const test = createTestRelayer({ maxCoinPerDay: 2n * most })
    const { submitted } = await submitSlowly(test, 1, 2, 3)
    for (const turn of [0, 1]) {
      test.chain.pending[turn]?.({ kind: 'unmined' })
      await settle()
    }
    expect(await submitted[2]).toMatchObject({ failure: 'refused', reason: expect.stringContaining('24 hours') })
    expect(test.chain.sent).toHaveLength(2)
  })

  it('hold the most that a fill may cost until it is known what it has', async () => {
    const most = 1_000_000n * 100n * 10n ** 9n
    const test = createTestRelayer({ maxCoinPerDay: most })
    const {
      submitted: [first],
    } = await submitSlowly(test, 1)
    await first
    expect(await refusal(test, of(2))).toMatchObject({ code: 'relayer_unavailable' })
    test.chain.pending[0]?.({ kind: 'unmined' })
    await settle()
    // It may be mined yet: what it may cost stays held.
    expect((await test.relayer.figures()).paidToday).toBe(most)
  })

  it('bound its queue', async () => {
    const test = createTestRelayer({ maxQueue: 1 })
    await submitSlowly(test, 1, 2)
    expect(await refusal(test, of(3))).toMatchObject({
      code: 'relayer_unavailable',
      message: expect.stringContaining('queue'),
    })
    expect((await test.relayer.figures()).queued).toBe(1)
  })

  it('want coin in the wallet for the gas of one fill', async () => {
    const test = createTestRelayer()
    test.chain.coin = 1_000_000n * 30n * 10n ** 9n - 1n
    expect(await test.relayer.terms()).toMatchObject({
      isAccepting: false,
      reason: expect.stringContaining('too little coin'),
    })
    expect(await refusal(test)).toMatchObject({ code: 'relayer_unavailable' })
  })

  it('refuse a fill whose gas costs more than the fee, where a price of the coin is known', async () => {
    const gasUsd = (coinPrice: bigint) => createTestRelayer({ coinPrice: usd6(coinPrice) })
    // 300,000 gas at 30 gwei are 0.009 of the coin.
    expect(await refusal(gasUsd(5_600_000n))).toMatchObject({ message: expect.stringContaining('more than the fee') })
    expect(await refusal(gasUsd(5_500_000n))).toBe(null)
  })
})

const late = Date.UTC(2026, 0, 1, 1) / 1_000 + 120
const NOW_PLUS_HOUR = {
  order: { nonce: 9, validUntil: late },
  authorization: { deadline: late },
  payment: { deadline: late },
}

describe('a relayer that closes', () => {
  it('takes nothing more, drops what waits and ends what it has sent', async () => {
    const test = createTestRelayer()
    const {
      submitted: [first, second],
    } = await submitSlowly(test, 1, 2)
    await first
    const closed = test.relayer.close()
    expect(await second).toMatchObject({ status: 'failed', failure: 'shutting_down' })
    expect(await codeOf(submit(test, of(3)))).toBe('relayer_unavailable')
    test.chain.pending[0]?.(mined())
    await closed
    expect(test.relayer.status(hashOf(of(1).order)).status).toBe('filled')
    expect(test.chain.sent).toHaveLength(1)
  })

  it('gives up what is not mined in time', async () => {
    const test = createTestRelayer()
    await submitSlowly(test, 1)
    const closed = test.relayer.close()
    await test.clock.advance(12_000)
    await closed
    expect(test.relayer.status(hashOf(of(1).order))).toMatchObject({ status: 'failed', failure: 'unmined' })
  })
})
