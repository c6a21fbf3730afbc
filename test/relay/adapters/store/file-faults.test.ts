import { describe, expect, it } from 'vitest'
import { type QuoteRequest, withoutTexts } from '../../../../src/protocol/domain/request.ts'
import type { Store } from '../../../../src/relay/core/ports/store.ts'
import { anAcceptance, aQuote, aRequest, SIGNATURE } from '../../../ports/store.fixtures.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'
import { createFakeDisk, type DiskFault } from '../../../support/fake-disk.ts'
import { createFakeLog } from '../../../support/fake-log.ts'
import { openOnFakeDisk } from './fake-disk-store.ts'

/** What a store said of one trade; a step is missing when it was refused. */
type Trade = { request: QuoteRequest; opened: boolean; accepted: boolean; confirmed: boolean; cancelled: boolean }

const NOW = createFakeClock().now()
const TRADES = 6

/** Opens requests, trades two of three and cancels the third, and notes what the store answered. */
async function trade(store: Store): Promise<Trade[]> {
  const trades: Trade[] = []
  for (let i = 0; i < TRADES; i += 1) {
    const request = aRequest(NOW, { requestId: `request-${i}` })
    const acceptance = anAcceptance(request, { now: NOW, acceptanceId: `acceptance-${i}` })
    const signed = { executionId: `execution-${i}`, signature: SIGNATURE }
    const isTrade = i % 3 !== 2
    trades.push({
      request,
      opened: await isDone(store.requests.insert(request)),
      accepted: isTrade && (await isDone(store.acceptances.insert(acceptance))),
      confirmed: isTrade && (await isDone(store.acceptances.confirm(`acceptance-${i}`, signed))),
      cancelled: !isTrade && (await isDone(store.requests.close(request.requestId, 'cancelled'))),
    })
  }
  return trades
}

/** Whether a change took place; a refusal must say that the store is unavailable. */
const isDone = (change: Promise<unknown>): Promise<boolean> =>
  change.then(
    (result) => result !== false && result !== null,
    (error) => {
      expect(error).toMatchObject({ code: 'store_unavailable' })
      return false
    },
  )

async function expectKept(store: Store, { request, ...trade }: Trade): Promise<void> {
  const found = await store.requests.find(request.requestId)
  const execution = await store.executions.findByRequest(request.requestId)
  if (trade.opened) expect(found?.request).toEqual(found?.status === 'cancelled' ? withoutTexts(request) : request)
  if (trade.cancelled) expect(found?.status).toBe('cancelled')
  if (trade.accepted) expect(await store.acceptances.findActive(request.requestId)).not.toBeNull()
  if (trade.confirmed) expect(execution).toMatchObject({ signature: SIGNATURE })
  expect(found?.status === 'committed').toBe(execution !== null)
}

async function operationsOfTrading(): Promise<number> {
  const disk = createFakeDisk()
  await trade(await openOnFakeDisk(disk))
  return disk.operations()
}

it('a restart keeps what a wallet has signed for another maker while an order was out for signature', async () => {
  const disk = createFakeDisk()
  const store = await openOnFakeDisk(disk)
  for (const makerId of ['maker-1', 'maker-2']) {
    const request = aRequest(NOW, { requestId: `request of ${makerId}` })
    await store.requests.insert(request)
    const quote = aQuote(request, { makerId })
    await store.acceptances.insert(anAcceptance(request, { now: NOW, quote, acceptanceId: `order of ${makerId}` }))
  }
  const sign = (from: Store, makerId: string) =>
    from.acceptances.confirm(`order of ${makerId}`, { executionId: makerId, signature: SIGNATURE })
  expect(await sign(store, 'maker-1')).toMatchObject({ signature: SIGNATURE })
  const reopened = await openOnFakeDisk(disk.afterCrash('flushed'))
  expect(await sign(reopened, 'maker-2')).toBe('outdated')
})

describe('a crash at any moment', () => {
  it.each<Pick<DiskFault, 'done'> & { names: 'seen' | 'flushed' }>([
    { done: 'nothing', names: 'seen' },
    { done: 'nothing', names: 'flushed' },
    { done: 'half', names: 'seen' },
    { done: 'half', names: 'flushed' },
    { done: 'all', names: 'seen' },
    { done: 'all', names: 'flushed' },
  ])('loses nothing that was answered: the operation did $done, names as $names', async ({ done, names }) => {
    const operations = await operationsOfTrading()
    expect(operations).toBeGreaterThan(50)
    for (let at = 1; at <= operations; at += 1) {
      const disk = createFakeDisk()
      const store = await openOnFakeDisk(disk)
      disk.fail({ at, done, after: 'dies' })
      const trades = await trade(store)
      const reopened = await openOnFakeDisk(disk.afterCrash(names))
      for (const each of trades) await expectKept(reopened, each)
      expect(await isDone(reopened.requests.insert(aRequest(NOW)))).toBe(true)
    }
  })

  it('right after a write that failed but may have held leaves the one or the other', async () => {
    const request = aRequest(NOW)
    const acceptance = anAcceptance(request, { now: NOW })
    const confirm = (store: Store, executionId: string) =>
      isDone(store.acceptances.confirm(acceptance.acceptanceId, { executionId, signature: SIGNATURE }))
    for (let first = 1; first <= 6; first += 1) {
      for (let second = 1; second <= 8; second += 1) {
        const disk = createFakeDisk()
        const store = await openOnFakeDisk(disk)
        await store.requests.insert(request)
        await store.acceptances.insert(acceptance)
        const at = disk.operations() + first
        disk.fail({ at, done: 'all', after: 'recovers' }, { at: at + second, done: 'half', after: 'dies' })
        expect(await confirm(store, 'execution-1')).toBe(false)
        await confirm(store, 'another-execution-2')
        const reopened = await openOnFakeDisk(disk.afterCrash('seen'))
        const found = await reopened.requests.find(request.requestId)
        expect(found?.status === 'committed').toBe(
          (await reopened.executions.findByRequest(request.requestId)) !== null,
        )
      }
    }
  })

  it('leaves nothing of an unfinished write behind once the next run has written', async () => {
    const operations = await operationsOfTrading()
    for (let at = 1; at <= operations; at += 1) {
      const disk = createFakeDisk()
      const store = await openOnFakeDisk(disk)
      disk.fail({ at, done: 'half', after: 'dies' })
      const trades = await trade(store)
      const left = disk.afterCrash('seen')
      const reopened = await openOnFakeDisk(left)
      await reopened.requests.insert(aRequest(NOW))
      const again = await openOnFakeDisk(left.afterCrash('seen'))
      expect(left.files().filter((path) => path.endsWith('.tmp'))).toEqual([])
      const executions = trades.map(({ request }) => again.executions.findByRequest(request.requestId))
      expect(left.holds(SIGNATURE)).toBe((await Promise.all(executions)).some((execution) => execution !== null))
      expect((await again.requests.listOpen()).length).toBe((await reopened.requests.listOpen()).length)
    }
  })
})

describe('a disk that fails once', () => {
  it.each<Pick<DiskFault, 'done'>>([{ done: 'nothing' }, { done: 'half' }, { done: 'all' }])(
    'costs the changes that it refused, none before and none after: the operation did $done',
    async ({ done }) => {
      const operations = await operationsOfTrading()
      for (let at = 1; at <= operations; at += 1) {
        const disk = createFakeDisk()
        const store = await openOnFakeDisk(disk)
        disk.fail({ at, done, after: 'recovers' })
        const trades = await trade(store)
        for (const each of trades) await expectExactly(store, each)
        await store.requests.insert(aRequest(NOW))
        for (const names of ['seen', 'flushed'] as const) {
          const reopened = await openOnFakeDisk(disk.afterCrash(names))
          for (const each of trades) await expectExactly(reopened, each)
        }
      }
    },
  )

  it('is reported once when it begins and once when it is over', async () => {
    const disk = createFakeDisk()
    const log = createFakeLog()
    const store = await openOnFakeDisk(disk, { log })
    for (let i = 0; i < 3; i += 1) {
      disk.fail({ at: disk.operations() + 1, done: 'nothing', after: 'recovers' })
      await expect(store.requests.insert(aRequest(NOW))).rejects.toMatchObject({ code: 'store_unavailable' })
    }
    await store.requests.insert(aRequest(NOW))
    await store.requests.insert(aRequest(NOW))
    expect(log.lines.map(({ level, event }) => [level, event])).toEqual([
      ['error', 'store_unavailable'],
      ['info', 'store_recovered'],
    ])
  })

  it('says that it takes no changes until it has tried and could write again', async () => {
    const disk = createFakeDisk()
    const store = await openOnFakeDisk(disk)
    const before = disk.operations()
    await store.ping()
    expect(disk.operations()).toBe(before)
    disk.fail({ at: before + 1, done: 'nothing', after: 'recovers' })
    await expect(store.requests.insert(aRequest(NOW))).rejects.toMatchObject({ code: 'store_unavailable' })
    disk.fail({ at: disk.operations() + 1, done: 'nothing', after: 'recovers' })
    await expect(store.ping()).rejects.toMatchObject({ code: 'store_unavailable' })
    await store.ping()
    const written = disk.operations()
    await store.ping()
    expect(disk.operations()).toBe(written)
    await store.close()
    await expect(store.ping()).rejects.toMatchObject({ code: 'store_unavailable' })
  })

  it('keeps no signature that it refused', async () => {
    const request = aRequest(NOW)
    const acceptance = anAcceptance(request, { now: NOW })
    for (const done of ['nothing', 'half', 'all'] as const) {
      for (let step = 1; step <= 8; step += 1) {
        const disk = createFakeDisk()
        const store = await openOnFakeDisk(disk)
        await store.requests.insert(request)
        await store.acceptances.insert(acceptance)
        disk.fail({ at: disk.operations() + step, done, after: 'recovers' })
        const signed = { executionId: 'execution', signature: SIGNATURE }
        const confirmed = await store.acceptances.confirm(acceptance.acceptanceId, signed).catch(() => null)
        disk.fail()
        await store.requests.insert(aRequest(NOW))
        expect(disk.holds(SIGNATURE)).toBe(confirmed !== null)
      }
    }
  })

  it('does not grow while it is full: a refused write is written over by the next', async () => {
    const disk = createFakeDisk()
    const store = await openOnFakeDisk(disk)
    const request = aRequest(NOW)
    const acceptance = anAcceptance(request, { now: NOW })
    await store.requests.insert(request)
    await store.acceptances.insert(acceptance)
    for (let i = 0; i < 5; i += 1) {
      disk.fail({ at: disk.operations() + 3, done: 'half', after: 'recovers' })
      await isDone(store.acceptances.end(acceptance.acceptanceId, 'declined'))
    }
    expect(disk.files().filter((path) => path.endsWith('.ndjson'))).toHaveLength(2)
  })
})

/** As kept, and what was refused did not happen. */
async function expectExactly(store: Store, trade: Trade): Promise<void> {
  await expectKept(store, trade)
  const found = await store.requests.find(trade.request.requestId)
  expect(found !== null).toBe(trade.opened)
  expect((await store.executions.findByRequest(trade.request.requestId)) !== null).toBe(trade.confirmed)
  expect((await store.acceptances.findActive(trade.request.requestId)) !== null).toBe(trade.accepted)
  expect(found?.status === 'cancelled').toBe(trade.cancelled)
}
