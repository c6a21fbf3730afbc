import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  countOrder,
  type MakerProtections,
  NO_PROTECTIONS,
  type ProtectionWindow,
} from '../../src/protocol/domain/maker-protections.ts'
import type { BreakerRule, MakerOutcomeKind } from '../../src/protocol/domain/maker-record.ts'
import type { OrderEnd } from '../../src/protocol/domain/order-end.ts'
import { type QuoteRequest, RATED_ORDERS, withoutTexts } from '../../src/protocol/domain/request.ts'
import { type Defunding, outstandingOrder } from '../../src/protocol/domain/reservation.ts'
import { type Address, contracts, usd6 } from '../../src/protocol/domain/units.ts'
import { admit, admitSigned } from '../../src/relay/core/admit.ts'
import type {
  Acceptance,
  ApiKey,
  Execution,
  HistoryQuery,
  Outcome,
  SignedOrder,
  Store,
  User,
} from '../../src/relay/core/ports/store.ts'
import {
  anAcceptance,
  aQuote,
  aRequest,
  aResolution,
  auditOf,
  freshSeriesId,
  freshWallet,
  OTHER_MAKER_WALLET,
  SIGNATURE,
} from './store.fixtures.ts'

/** A store under test. `now` reads the store's own clock, in Unix milliseconds. */
export type StoreUnderTest = { store: Store; now: () => number; dispose: () => Promise<void> }

/** What every store must do; ids are fresh in each test, so that a store may be shared with other suites. */
export function describeStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(name, () => {
    let test: StoreUnderTest
    let store: Store
    let now: number

    beforeEach(async () => {
      test = await open()
      store = test.store
      now = test.now()
    })
    afterEach(() => test.dispose())

    async function openRequest(changes: Partial<QuoteRequest> = {}): Promise<QuoteRequest> {
      const request = aRequest(now, changes)
      await store.requests.insert(request)
      return request
    }

    async function accept(
      request: QuoteRequest,
      changes: Partial<Parameters<typeof anAcceptance>[1]> = {},
    ): Promise<Acceptance> {
      // Beyond what any test takes on a store that keeps real time.
      const acceptance = anAcceptance(request, { now, deadline: now + 3_600_000, ...changes })
      expect(await admit(store, acceptance)).toBe(true)
      return acceptance
    }

    /** Takes what its maker, which is there, signed beforehand. */
    const admitOwn = (
      acceptance: Acceptance,
      signed: Pick<Execution, 'executionId' | 'signature'>,
      outstandingVersion: number | null = null,
    ) => admitSigned(store, acceptance, { signed, hasGone: () => false, outstandingVersion })

    /** Whatever others have signed for the wallet meanwhile. */
    async function confirm({ acceptanceId, order }: Acceptance, executionId: string = randomUUID()) {
      let version: number | null = null
      for (;;) {
        const execution = await store.acceptances.confirm(acceptanceId, { executionId, signature: SIGNATURE }, version)
        if (execution !== 'outdated') return execution
        version = (await store.acceptances.outstandingOf(order.maker, 0)).version
      }
    }

    describe('requests', () => {
      it('returns a request exactly as it was inserted, whichever side it takes', async () => {
        const buy = await openRequest({ wallet: null })
        const sell = await openRequest({ trade: { side: 'sell', size: aQuote(buy).size } })
        expect(await store.requests.find(buy.requestId)).toEqual({ request: buy, status: 'open' })
        expect(await store.requests.find(sell.requestId)).toEqual({ request: sell, status: 'open' })
      })

      it('inserts one of an id, the first to come, and none in place of one that is open or has ended', async () => {
        const request = aRequest(now)
        const other = aRequest(now, { requestId: request.requestId, wallet: freshWallet() })
        const inserted = await Promise.all([request, request, request].map((one) => store.requests.insert(one)))
        expect(inserted.filter(Boolean)).toHaveLength(1)
        expect(await store.requests.insert(other)).toBe(false)
        expect(await store.requests.find(request.requestId)).toEqual({ request, status: 'open' })
        await store.requests.close(request.requestId, 'cancelled')
        expect(await store.requests.insert(request)).toBe(false)
        expect(await store.requests.find(request.requestId)).toMatchObject({ status: 'cancelled' })
        const traded = await openRequest()
        await confirm(await accept(traded))
        expect(await store.requests.insert(traded)).toBe(false)
        expect(await store.requests.find(traded.requestId)).toMatchObject({ status: 'committed' })
      })

      it('knows nothing of a request that was never inserted, not even of one named like a property of objects', async () => {
        expect(await store.requests.find(randomUUID())).toBeNull()
        expect(await store.requests.find('__proto__')).toBeNull()
        expect(await store.requests.find('constructor')).toBeNull()
      })

      it('closes a request for exactly one of many callers', async () => {
        const { requestId } = await openRequest()
        const closed = await Promise.all(
          Array.from({ length: 20 }, (_, i) => store.requests.close(requestId, i % 2 === 0 ? 'cancelled' : 'expired')),
        )
        expect(closed.filter(Boolean)).toHaveLength(1)
      })

      it('remembers how a request closed, and lists only open ones', async () => {
        const open = await openRequest()
        const cancelled = await openRequest()
        const expired = await openRequest()
        await store.requests.close(cancelled.requestId, 'cancelled')
        await store.requests.close(expired.requestId, 'expired')
        expect(await store.requests.find(cancelled.requestId)).toEqual({
          request: withoutTexts(cancelled),
          status: 'cancelled',
        })
        expect(await store.requests.find(expired.requestId)).toEqual({
          request: withoutTexts(expired),
          status: 'expired',
        })
        const listed = (await store.requests.listOpen()).map(({ requestId }) => requestId)
        expect(listed).toContain(open.requestId)
        expect(listed).not.toContain(cancelled.requestId)
        expect(listed).not.toContain(expired.requestId)
      })

      it('does not close a request that it does not know', async () => {
        expect(await store.requests.close(randomUUID(), 'expired')).toBe(false)
      })

      it('does not close a request whose maker is signing, and does so once the maker declined', async () => {
        const request = await openRequest()
        const acceptance = await accept(request)
        expect(await store.requests.close(request.requestId, 'cancelled')).toBe(false)
        await store.acceptances.end(acceptance.acceptanceId, 'declined')
        expect(await store.requests.close(request.requestId, 'cancelled')).toBe(true)
      })
    })

    describe('nonces', () => {
      it('gives a wallet consecutive nonces, and the same one again for the same request', async () => {
        const wallet = freshWallet()
        const first = await openRequest()
        const second = await openRequest()
        const nonce = await store.allotNonce(first.requestId, wallet)
        expect(await store.allotNonce(second.requestId, wallet)).toBe(nonce + 1)
        expect(await store.allotNonce(first.requestId, wallet)).toBe(nonce)
        expect(await store.allotNonce(first.requestId, wallet.toLowerCase() as typeof wallet)).toBe(nonce)
      })

      it('starts each wallet at the same base, a time and chance, below 2^53 (decision C7)', async () => {
        const { requestId } = await openRequest()
        const nonce = await store.allotNonce(requestId, freshWallet())
        const openedAt = nonce / 2 ** 20
        // Bases of one second are those of the seconds after it.
        expect(openedAt).toBeLessThanOrEqual(now / 1_000 + 10)
        expect(openedAt).toBeGreaterThan(now / 1_000 - 3_600)
        expect(nonce).toBeLessThan(2 ** 53)
        expect(await store.allotNonce(requestId, freshWallet())).toBe(nonce)
      })

      it('gives no nonce twice to requests that ask at once', async () => {
        const wallet = freshWallet()
        const requests = await Promise.all(Array.from({ length: 10 }, () => openRequest()))
        const nonces = await Promise.all(
          [...requests, ...requests].map(({ requestId }) => store.allotNonce(requestId, wallet)),
        )
        expect(new Set(nonces).size).toBe(10)
        expect(nonces.slice(10)).toEqual(nonces.slice(0, 10))
      })
    })

    describe('acceptances', () => {
      it('returns a pending acceptance exactly as it was inserted, with its order', async () => {
        const request = await openRequest()
        const acceptance = await accept(request)
        expect(await store.acceptances.findByQuote(acceptance.quoteId)).toEqual(acceptance)
        expect(await store.acceptances.findActive(request.requestId)).toEqual(acceptance)
        expect(await store.acceptances.pending({ makerId: acceptance.makerId })).toContainEqual(acceptance)
      })

      it('lists what is pending by maker', async () => {
        const request = await openRequest()
        const makerId = randomUUID()
        const acceptance = await accept(request, { quote: aQuote(request, { makerId }) })
        expect(await store.acceptances.pending({ makerId })).toEqual([acceptance])
        expect(await store.acceptances.pending({ makerId: randomUUID() })).toEqual([])
        expect(await store.acceptances.pending()).toContainEqual(acceptance)
      })

      it('takes exactly one of many acceptances of a request', async () => {
        const request = await openRequest()
        const inserted = await Promise.all(
          Array.from({ length: 20 }, () => admit(store, anAcceptance(request, { now }))),
        )
        expect(inserted.filter(Boolean)).toHaveLength(1)
      })

      it('takes no second acceptance beside a confirmed one', async () => {
        const request = await openRequest()
        await confirm(await accept(request))
        expect(await admit(store, anAcceptance(request, { now }))).toBe(false)
      })

      it('takes no acceptance of a request that is closed or unknown', async () => {
        const request = await openRequest()
        await store.requests.close(request.requestId, 'cancelled')
        expect(await admit(store, anAcceptance(request, { now }))).toBe(false)
        expect(await admit(store, anAcceptance(aRequest(now), { now }))).toBe(false)
      })

      it('takes the next acceptance once the former maker declined, and then finds the newer one', async () => {
        const request = await openRequest()
        const quote = aQuote(request)
        const first = await accept(request, { quote })
        expect(await store.acceptances.end(first.acceptanceId, 'declined')).toBe(true)
        expect(await store.acceptances.findByQuote(quote.quoteId)).toEqual({ ...first, state: 'declined' })
        expect(await store.acceptances.findActive(request.requestId)).toBeNull()
        const second = await accept(request, { quote })
        expect(await store.acceptances.findByQuote(quote.quoteId)).toEqual(second)
      })

      it('does not time out an acceptance before its deadline', async () => {
        const acceptance = await accept(await openRequest())
        expect(await store.acceptances.end(acceptance.acceptanceId, 'timed_out')).toBe(false)
        expect(await confirm(acceptance)).not.toBeNull()
      })

      it('times out an acceptance past its deadline for exactly one of many callers', async () => {
        const request = await openRequest()
        const acceptance = await accept(request, { deadline: now - 1 })
        const ended = await Promise.all(
          Array.from({ length: 10 }, () => store.acceptances.end(acceptance.acceptanceId, 'timed_out')),
        )
        expect(ended.filter(Boolean)).toHaveLength(1)
        expect(await store.acceptances.findByQuote(acceptance.quoteId)).toEqual({ ...acceptance, state: 'timed_out' })
        expect(await store.acceptances.pending()).not.toContainEqual(acceptance)
      })

      it('takes back one whose maker was not asked after all, as if it had never been', async () => {
        const request = await openRequest()
        const acceptance = await accept(request)
        const withdrawals = Array.from({ length: 5 }, () => store.acceptances.withdraw(acceptance.acceptanceId))
        expect((await Promise.all(withdrawals)).filter(Boolean)).toHaveLength(1)
        expect(await store.acceptances.findByQuote(acceptance.quoteId)).toBeNull()
        expect(await store.acceptances.findActive(request.requestId)).toBeNull()
        expect(await confirm(acceptance)).toBeNull()
        const next = await accept(request)
        expect(await confirm(next)).not.toBeNull()
        expect(await store.acceptances.withdraw(next.acceptanceId)).toBe(false)
        expect(await store.acceptances.findActive(request.requestId)).toMatchObject({ state: 'confirmed' })
      })

      it('ends nothing that it does not know', async () => {
        expect(await store.acceptances.end(randomUUID(), 'declined')).toBe(false)
        expect(await store.acceptances.findByQuote(randomUUID())).toBeNull()
        expect(await store.acceptances.findActive(randomUUID())).toBeNull()
      })
    })

    describe('confirm', () => {
      it('makes the execution, the acceptance and the request committed in one step', async () => {
        const request = await openRequest()
        const acceptance = await accept(request)
        const executionId = randomUUID()
        const execution = await confirm(acceptance, executionId)
        const confirmed = { ...acceptance, state: 'confirmed' }
        expect(execution).toMatchObject({ executionId, signature: SIGNATURE, acceptance: confirmed })
        expect(Math.abs((execution?.executedAt ?? 0) - now)).toBeLessThan(60_000)
        expect(await store.executions.findByRequest(request.requestId)).toEqual(execution)
        expect(await store.acceptances.findByQuote(acceptance.quoteId)).toEqual(confirmed)
        expect(await store.acceptances.findActive(request.requestId)).toEqual(confirmed)
        expect(await store.requests.find(request.requestId)).toEqual({ request, status: 'committed' })
        expect(await store.acceptances.pending()).not.toContainEqual(acceptance)
      })

      it('comes with an acceptance that its maker signed beforehand, for exactly one of many callers', async () => {
        const request = await openRequest()
        const acceptance = { ...anAcceptance(request, { now }), state: 'confirmed' as const }
        const many = Array.from({ length: 8 }, (_, i) => ({
          ...acceptance,
          acceptanceId: `${acceptance.acceptanceId}-${i}`,
        }))
        const made = await Promise.all(
          many.map((one) => admitOwn(one, { executionId: randomUUID(), signature: SIGNATURE })),
        )
        const executions = made.filter((one) => typeof one === 'object')
        expect(executions).toHaveLength(1)
        expect(made.filter((one) => one === false)).toHaveLength(7)
        const [execution] = executions
        expect(execution).toMatchObject({ signature: SIGNATURE, acceptance: { order: acceptance.order } })
        expect(await store.executions.findByRequest(request.requestId)).toEqual(execution)
        expect(await store.acceptances.findActive(request.requestId)).toEqual(execution?.acceptance)
        expect((await store.requests.find(request.requestId))?.status).toBe('committed')
        expect(await store.acceptances.pending()).not.toContainEqual(
          expect.objectContaining({ requestId: request.requestId }),
        )
        const { orders } = await store.acceptances.outstandingOf(acceptance.order.maker, 0)
        expect(orders).toContainEqual(expect.objectContaining({ acceptanceId: execution?.acceptance.acceptanceId }))
      })

      it('judges a quote that was signed beforehand as any acceptance: by the request, and by the debt of its wallet', async () => {
        const [first, second, closed] = [await openRequest(), await openRequest(), await openRequest()]
        const signed = (request: QuoteRequest, version: number | null) =>
          admitOwn(
            { ...anAcceptance(request, { now }), state: 'confirmed' },
            { executionId: randomUUID(), signature: SIGNATURE },
            version,
          )
        const { version } = await store.acceptances.outstandingOf(anAcceptance(first, { now }).order.maker, 0)
        expect(await signed(first, version)).toMatchObject({ acceptance: { state: 'confirmed' } })
        expect(await signed(second, version)).toBe('outdated')
        expect((await store.requests.find(second.requestId))?.status).toBe('open')
        await store.requests.close(closed.requestId, 'cancelled')
        expect(await signed(closed, null)).toBe(false)
      })

      it('has no time before its acceptance was made, where the clock of the store shows less (fault I19)', async () => {
        const made = now + 3_600_000
        const [asked, firm] = [await openRequest(), await openRequest()]
        const acceptance = anAcceptance(asked, { now: made })
        await admit(store, acceptance)
        expect((await confirm(acceptance))?.executedAt).toBe(made)
        const signed = { executionId: randomUUID(), signature: SIGNATURE }
        expect(await admitOwn(anAcceptance(firm, { now: made }), signed)).toMatchObject({ executedAt: made })
      })

      it('refuses a quote that was signed beforehand from its deadline on, and leaves the request open', async () => {
        const request = await openRequest()
        const acceptance: Acceptance = { ...anAcceptance(request, { now }), state: 'confirmed', deadline: now - 1 }
        const signed = { executionId: randomUUID(), signature: SIGNATURE }
        expect(await admitOwn(acceptance, signed)).toBe('late')
        expect(await store.executions.findByRequest(request.requestId)).toBeNull()
        expect(await store.requests.find(request.requestId)).toEqual({ request, status: 'open' })
      })

      it('refuses from the deadline on, and leaves no trace of the signature', async () => {
        const request = await openRequest()
        const acceptance = await accept(request, { deadline: now - 1 })
        expect(await confirm(acceptance)).toBeNull()
        expect(await store.executions.findByRequest(request.requestId)).toBeNull()
        expect(await store.requests.find(request.requestId)).toEqual({ request, status: 'open' })
      })

      it('succeeds for exactly one of many callers', async () => {
        const acceptance = await accept(await openRequest())
        const executions = await Promise.all(Array.from({ length: 20 }, () => confirm(acceptance)))
        expect(executions.filter((execution) => execution !== null)).toHaveLength(1)
      })

      it('and a decline at the same time: exactly one of the two holds', async () => {
        for (let round = 0; round < 10; round += 1) {
          const request = await openRequest()
          const acceptance = await accept(request)
          const [execution, declined] = await Promise.all([
            confirm(acceptance),
            store.acceptances.end(acceptance.acceptanceId, 'declined'),
          ])
          expect(execution !== null).toBe(!declined)
          expect(await store.executions.findByRequest(request.requestId)).toEqual(execution)
        }
      })

      it('refuses an acceptance that ended or was never there', async () => {
        const acceptance = await accept(await openRequest())
        await store.acceptances.end(acceptance.acceptanceId, 'declined')
        expect(await confirm(acceptance)).toBeNull()
        expect(await confirm({ ...acceptance, acceptanceId: randomUUID() })).toBeNull()
      })

      it('leaves a committed request committed', async () => {
        const request = await openRequest()
        const acceptance = await accept(request)
        await confirm(acceptance)
        expect(await store.requests.close(request.requestId, 'expired')).toBe(false)
        expect(await store.acceptances.end(acceptance.acceptanceId, 'declined')).toBe(false)
        expect((await store.requests.find(request.requestId))?.status).toBe('committed')
      })
    })

    describe('the makers that have confirmed', () => {
      it('are those with an execution at or after a moment, and no others', async () => {
        const [ada, bob, cyd] = [randomUUID(), randomUUID(), randomUUID()]
        const acceptOf = async (makerId: string) => {
          const request = await openRequest()
          return accept(request, { quote: aQuote(request, { makerId }) })
        }
        const ids = [ada, bob, cyd, '__proto__']
        const asked = await acceptOf(ada)
        await acceptOf(cyd)
        const before = (await store.executions.confirmedBy(ids, 0)).size
        const execution = await confirm(asked)
        const at = execution?.executedAt ?? 0
        expect(before).toBe(0)
        expect([...(await store.executions.confirmedBy(ids, at))]).toEqual([ada])
        expect([...(await store.executions.confirmedBy(ids, at + 1))]).toEqual([])
        expect([...(await store.executions.confirmedBy([bob, cyd], 0))]).toEqual([])
        expect([...(await store.executions.confirmedBy([], 0))]).toEqual([])
      })

      it('may have paid from a wallet since one of its orders was signed, or filled, under whatever maker', async () => {
        const maker = freshWallet()
        const promised = async () => {
          const request = await openRequest()
          return accept(request, { quote: aQuote(request, { maker, makerId: randomUUID() }) })
        }
        const acceptance = await promised()
        const mayHavePaid = (since: number) => store.executions.mayHavePaid(maker, since)
        expect(await mayHavePaid(0)).toBe(false)
        const signedAt = (await confirm(acceptance))?.executedAt ?? 0
        expect([await mayHavePaid(signedAt), await mayHavePaid(signedAt + 1)]).toEqual([true, false])
        const other = await promised()
        const expiredAt = (await confirm(other))?.executedAt ?? 0
        await store.orders.end([{ ...other, end: { state: 'expired' } }])
        expect(await mayHavePaid(expiredAt + 1)).toBe(false)
        const place = { transactionHash: `0x${'ab'.repeat(32)}`, blockNumber: 7 } as const
        await store.orders.end([{ ...acceptance, end: { state: 'filled', ...place } }])
        expect([await mayHavePaid(expiredAt), await mayHavePaid(expiredAt + 60_000)]).toEqual([true, false])
      })
    })

    describe('the newest executions', () => {
      const { conditionId, yesTokenId } = aRequest(0).market
      const MARKET = { conditionId, yesTokenId }
      const signedTrade = async () => {
        const acceptance = await accept(await openRequest())
        const execution = (await confirm(acceptance)) as Execution
        return { execution, place: { at: execution.executedAt, tradeId: execution.executionId } }
      }
      /** A store may be shared with other suites. */
      const idsOf = (found: readonly { execution: Execution }[], of: readonly Execution[]) =>
        found
          .map(({ execution }) => execution.executionId)
          .filter((id) => of.some(({ executionId }) => executionId === id))

      it('come newest first, by time and then by id, each once over the pages', async () => {
        const made = [await signedTrade(), await signedTrade(), await signedTrade(), await signedTrade()]
        const executions = made.map(({ execution }) => execution)
        const expected = executions
          .toSorted((a, b) => a.executedAt - b.executedAt || (a.executionId < b.executionId ? -1 : 1))
          .toReversed()
        const until = Math.max(...executions.map(({ executedAt }) => executedAt))
        const all = await store.executions.newest({ until, before: null, limit: 1_000 })
        expect(idsOf(all, executions)).toEqual(expected.map(({ executionId }) => executionId))
        expect(all.find(({ execution }) => execution.executionId === expected[0]?.executionId)).toEqual({
          execution: expected[0],
          market: MARKET,
          end: null,
        })
        const pages: string[] = []
        for (let before = null as (typeof made)[0]['place'] | null; pages.length < all.length; ) {
          const page = await store.executions.newest({ until, before, limit: 3 })
          const last = page.at(-1)?.execution
          if (last === undefined) break
          pages.push(...page.map(({ execution }) => execution.executionId))
          before = { at: last.executedAt, tradeId: last.executionId }
        }
        expect(pages.slice(0, all.length)).toEqual(all.map(({ execution }) => execution.executionId))
      })

      it('are those until a moment, with the ends of their orders; a pending one is not among them', async () => {
        const { execution } = await signedTrade()
        const pending = await accept(await openRequest())
        const find = async (until: number) => {
          const found = await store.executions.newest({ until, before: null, limit: 1_000 })
          expect(found.some((one) => one.execution.acceptance.acceptanceId === pending.acceptanceId)).toBe(false)
          return found.find((one) => one.execution.executionId === execution.executionId)
        }
        expect(await find(execution.executedAt - 1)).toBeUndefined()
        expect(await find(execution.executedAt)).toEqual({ execution, market: MARKET, end: null })
        const { acceptanceId, requestId, quoteId, makerId, order } = execution.acceptance
        const end = { state: 'expired' } as const
        await store.orders.end([{ acceptanceId, requestId, quoteId, makerId, order, end }])
        expect(await find(execution.executedAt)).toEqual({ execution, market: MARKET, end })
      })
    })

    describe('maker records', () => {
      const RULE = {
        windowMs: 3_600_000,
        suspensionMs: 60_000,
        maxSuspensionMs: 3_600_000,
        minOutcomes: 3,
        below: 60,
        cleanPerStrike: 2,
        incidentMs: 0,
      }
      let makerId: string
      beforeEach(() => {
        makerId = randomUUID()
      })

      const outcome = (kind: MakerOutcomeKind, quoteId: string = randomUUID()) => ({
        kind,
        requestId: `request of ${quoteId}`,
        quoteId,
        ...(kind === 'confirmed' ? { waitedMs: 12 } : {}),
      })
      const note = (kind: MakerOutcomeKind, quoteId?: string, rule: BreakerRule = RULE) =>
        store.makerRecords.note(makerId, outcome(kind, quoteId), rule)
      const kinds = async () => (await store.makerRecords.find(makerId)).outcomes.map(({ kind }) => kind)
      const suspendedNow = async () =>
        (await store.makerRecords.suspended()).filter((suspended) => suspended.makerId === makerId)

      it('start empty', async () => {
        expect(await store.makerRecords.find(makerId)).toEqual({ outcomes: [], suspension: null })
        expect(await store.makerRecords.reinstate(makerId)).toBe(false)
      })

      it('keep outcomes in their order, at the time of the store', async () => {
        const [first, second] = [outcome('confirmed'), outcome('missed')]
        expect(await store.makerRecords.note(makerId, first, RULE)).toBeNull()
        expect(await store.makerRecords.note(makerId, second, RULE)).toBeNull()
        const at = expect.any(Number)
        const { outcomes } = await store.makerRecords.find(makerId)
        expect(outcomes).toEqual([
          { ...first, at },
          { ...second, at },
        ])
        for (const one of outcomes) expect(Math.abs(one.at - now)).toBeLessThan(10_000)
      })

      it('count an outcome of a quote once, and one that was taken back in its place', async () => {
        for (const kind of ['missed', 'missed', 'confirmed', 'confirmed'] as const) await note(kind, 'q1')
        expect(await kinds()).toEqual(['missed', 'confirmed'])
        for (const kind of ['cancelled', 'defunded', 'confirmed'] as const) await note(kind, 'q1')
        expect(await kinds()).toEqual(['missed', 'cancelled'])
      })

      it('count an order that was signed wrongly and not signed then once, whichever is known first', async () => {
        for (const kind of ['bad_signature', 'missed', 'declined'] as const) await note(kind, 'q1')
        for (const kind of ['missed', 'bad_signature'] as const) await note(kind, 'q2')
        for (const kind of ['declined', 'bad_signature'] as const) await note(kind, 'q3')
        for (const kind of ['bad_signature', 'confirmed'] as const) await note(kind, 'q4')
        expect(await kinds()).toEqual(['bad_signature', 'missed', 'declined', 'bad_signature', 'confirmed'])
      })

      it('count once what is noted many times at once', async () => {
        await Promise.all(Array.from({ length: 8 }, () => note('missed', 'q1')))
        expect(await kinds()).toEqual(['missed'])
      })

      it('count misses of one incident as one, and insolvencies, also at once, and other outcomes beside them', async () => {
        const incident = { ...RULE, incidentMs: 60_000 }
        await Promise.all(['q1', 'q2', 'q3'].map((quoteId) => note('missed', quoteId, incident)))
        await Promise.all(['q1', 'q2', 'q3'].map((quoteId) => note('insolvent', quoteId, incident)))
        await note('declined', 'q4', incident)
        expect(await kinds()).toEqual(['missed', 'insolvent', 'declined'])
      })

      it('keep the newest 100', async () => {
        for (let i = 0; i < 105; i += 1) await note('confirmed', `q${i}`)
        const { outcomes } = await store.makerRecords.find(makerId)
        expect(outcomes.map(({ quoteId }) => quoteId)).toEqual(Array.from({ length: 100 }, (_, i) => `q${i + 5}`))
      })

      it('suspend a maker for one caller, and say why', async () => {
        const found = await Promise.all(Array.from({ length: 6 }, (_, i) => note('missed', `q${i}`)))
        const [suspension, ...others] = found.filter((one) => one !== null)
        expect(others).toEqual([])
        expect(suspension).toMatchObject({ strikes: 1, cleanInARow: 0 })
        expect((suspension?.until ?? 0) - (suspension?.since ?? 0)).toBe(RULE.suspensionMs)
        expect(suspension?.because.length).toBeGreaterThanOrEqual(RULE.minOutcomes)
        expect(suspension?.because[0]).toEqual({
          ...outcome('missed', suspension?.because[0]?.quoteId),
          at: expect.any(Number),
        })
        expect(await suspendedNow()).toEqual([{ makerId, suspension }])
        expect((await store.makerRecords.find(makerId)).suspension).toEqual(suspension)
      })

      it('suspend no one where suspensions are off', async () => {
        for (let i = 0; i < 6; i += 1) expect(await note('missed', `q${i}`, { ...RULE, suspensionMs: 0 })).toBeNull()
        expect(await suspendedNow()).toEqual([])
      })

      it('take a suspension off the count for confirmations in a row', async () => {
        for (let i = 0; i < 3; i += 1) await note('missed', `q${i}`)
        const strikes = async () => {
          const { suspension } = await store.makerRecords.find(makerId)
          return [suspension?.strikes, suspension?.cleanInARow]
        }
        await note('confirmed')
        expect(await strikes()).toEqual([1, 1])
        await note('declined')
        expect(await strikes()).toEqual([1, 0])
        await note('confirmed')
        await note('confirmed')
        expect(await strikes()).toEqual([0, 0])
      })

      it('are reinstated for one caller, with no strike left of it and no outcome that counts for the next', async () => {
        for (let i = 0; i < 3; i += 1) await note('missed', `q${i}`)
        const ended = await Promise.all([store.makerRecords.reinstate(makerId), store.makerRecords.reinstate(makerId)])
        expect(ended.sort()).toEqual([false, true])
        expect(await suspendedNow()).toEqual([])
        expect((await store.makerRecords.find(makerId)).suspension?.strikes).toBe(0)
        expect(await note('missed')).toBeNull()
      })
    })

    describe('protections', () => {
      const WINDOW = { ms: 60_000, maxAccepted: null, maxContracts: null, maxNotional: null, maxCollateral: null }
      const guarded = (
        windows: readonly Partial<ProtectionWindow>[],
        freezeMs: number | null = null,
      ): MakerProtections => ({
        ...NO_PROTECTIONS,
        windows: windows.map((window) => ({ ...WINDOW, ...window })),
        freezeMs,
      })
      let makerId: string

      beforeEach(() => {
        makerId = randomUUID()
      })

      /** An acceptance of the maker on a request of its own, by default for a taker that has proved its wallet. */
      async function offer(
        version: number | null = null,
        changes: Partial<QuoteRequest> = {},
        taker: { proven?: true } = { proven: true },
      ) {
        const request = await openRequest(changes)
        const quote = aQuote(request, { makerId, maker: freshWallet() })
        const acceptance = anAcceptance(request, { now, quote, ...taker })
        return { acceptance, result: await admit(store, acceptance, { protectionsVersion: version }) }
      }

      it('come back exactly as they were put, each change under a higher version', async () => {
        expect(await store.protections.find(makerId)).toBeNull()
        expect(await store.protections.reset(makerId)).toBeNull()
        const all: MakerProtections = {
          cancelOnDisconnect: { graceMs: 500, channels: 'any' },
          windows: [{ ...WINDOW, maxContracts: contracts(10n ** 15n), maxNotional: usd6(7n) }],
          freezeMs: 1_000,
          maxQuoteSize: contracts(9n),
          references: [
            { scope: 'series', id: '77', price: usd6(120_000n), maxDeviation: usd6(1n), expiresAt: now },
            { scope: 'market', id: `0x${'c1'.repeat(32)}`, price: usd6(1n), maxDeviation: usd6(2n), expiresAt: null },
          ],
        }
        const first = await store.protections.put(makerId, all)
        expect(first).toEqual({ makerId, version: expect.any(Number), protections: all, trip: null })
        const second = await store.protections.put(makerId, NO_PROTECTIONS)
        expect(second.version).toBeGreaterThan(first.version)
        expect(await store.protections.find(makerId)).toEqual(second)
        expect(await store.protections.list()).toContainEqual(second)
      })

      it('let exactly as many of many acceptances at the same time through as a window allows, and trip once', async () => {
        const { version } = await store.protections.put(makerId, guarded([{ maxAccepted: 3 }]))
        const { trip } = store.protections
        let trips = 0
        store.protections.trip = async (...args) => {
          const hasTripped = await trip(...args)
          trips += hasTripped ? 1 : 0
          return hasTripped
        }
        const results = await Promise.all(Array.from({ length: 10 }, async () => (await offer()).result))
        expect(results.filter((result) => result === true)).toHaveLength(3)
        expect(results.filter((result) => result === 'protected')).toHaveLength(7)
        const state = await store.protections.find(makerId)
        expect(trips).toBe(1)
        expect(state?.version).toBeGreaterThan(version)
        expect(state?.trip).toMatchObject({
          until: null,
          window: { ...WINDOW, maxAccepted: 3 },
          used: { accepted: 3 },
          withNext: { accepted: 4 },
        })
      })

      it('count options, premiums and what a writer locks, and name the figures', async () => {
        await store.protections.put(
          makerId,
          guarded([{ maxContracts: contracts(10_000n), maxNotional: usd6(150_000_000n) }]),
        )
        const { acceptance, result } = await offer()
        expect(result).toBe(true)
        expect((await offer()).result).toBe('protected')
        const { optionAmount, premiumAmount } = acceptance.order
        const { collateral } = countOrder(acceptance, 0)
        const trip = (await store.protections.find(makerId))?.trip
        expect(trip?.used).toEqual({ accepted: 1, contracts: optionAmount, notional: premiumAmount, collateral })
        expect(trip?.withNext.notional).toBe(premiumAmount * 2n)
        expect(trip?.withNext.collateral).toBe(collateral * 2n)
        await store.protections.reset(makerId)
        await store.protections.put(makerId, guarded([{ maxCollateral: usd6(1n) }]))
        expect((await offer()).result).toBe('protected')
        // A maker that buys locks nothing.
        await store.protections.reset(makerId)
        expect((await offer(null, { trade: { side: 'sell', size: contracts(100n) } })).result).toBe(true)
      })

      it('refuse all acceptances of a maker that has tripped, until they are reset, and no other maker', async () => {
        await store.protections.put(makerId, guarded([{ maxContracts: contracts(1n) }]))
        expect((await offer()).result).toBe('protected')
        await store.protections.put(makerId, guarded([{ maxAccepted: 1 }]))
        expect((await offer()).result).toBe('protected')
        await accept(await openRequest())
        expect((await store.protections.reset(makerId))?.trip).toBeNull()
        expect((await offer()).result).toBe(true)
        expect((await offer()).result).toBe('protected')
        await store.protections.reset(makerId)
        expect((await offer()).result).toBe(true)
      })

      it('count what its maker signed beforehand, and trip before it would exceed a window', async () => {
        await store.protections.put(makerId, guarded([{ maxAccepted: 1 }]))
        const sign = async () => {
          const request = await openRequest()
          const acceptance = anAcceptance(request, { now, quote: aQuote(request, { makerId }), proven: true })
          return admitOwn(acceptance, { executionId: randomUUID(), signature: SIGNATURE })
        }
        expect(await sign()).toBeTypeOf('object')
        expect(await sign()).toBe('protected')
        expect((await store.protections.find(makerId))?.trip).not.toBeNull()
      })

      it('give takers without a proof a quarter of each window together, and are tripped by none of them', async () => {
        const unproven = async () => (await offer(null, {}, {})).result
        await store.protections.put(makerId, guarded([{ maxAccepted: 9 }]))
        expect(await Promise.all([unproven(), unproven(), unproven()])).toEqual(
          expect.arrayContaining([true, true, 'unproven']),
        )
        // They are a part of what the maker allows in all, and have none of what others took.
        for (let i = 0; i < 7; i += 1) expect((await offer()).result).toBe(true)
        const { version } = await store.protections.put(makerId, guarded([{ maxAccepted: 9, ms: 30_000 }]))
        expect(await unproven()).toBe('unproven')
        expect(await store.protections.find(makerId)).toMatchObject({ version, trip: null })
        expect((await offer()).result).toBe('protected')
        expect(await unproven()).toBe('protected')
      })

      it('count what takers without a proof took by options, premiums and what a writer locks, also where it was signed beforehand', async () => {
        const { acceptance } = await offer()
        const { optionAmount, premiumAmount } = acceptance.order
        const { collateral } = countOrder(acceptance, 0)
        const bounds: readonly Partial<ProtectionWindow>[] = [
          { maxContracts: contracts(optionAmount * 4n) },
          { maxNotional: usd6(premiumAmount * 4n) },
          { maxCollateral: usd6(collateral * 4n) },
        ]
        for (const bound of bounds) {
          makerId = randomUUID()
          await store.protections.put(makerId, guarded([bound]))
          expect((await offer(null, {}, {})).result).toBe(true)
          const request = await openRequest()
          const next = anAcceptance(request, { now, quote: aQuote(request, { makerId }) })
          const signed = { executionId: randomUUID(), signature: SIGNATURE }
          expect(await admitOwn(next, signed)).toBe('unproven')
          expect(await admitOwn({ ...next, proven: true }, signed)).toBeTypeOf('object')
        }
      })

      it('end a trip after the freeze', async () => {
        await store.protections.put(makerId, guarded([{ maxContracts: contracts(1n) }], 1))
        const at = test.now()
        expect((await offer()).result).toBe('protected')
        const trip = (await store.protections.find(makerId))?.trip
        expect(trip?.until).toBe((trip?.at ?? 0) + 1)
        expect(trip?.at).toBeGreaterThanOrEqual(at)
      })

      it('count an acceptance from when it was made, and trip then, where the clock of the store shows less (fault I19)', async () => {
        const made = now + 3_600_000
        await store.protections.put(makerId, guarded([{ maxAccepted: 1 }], 1_000))
        const offerThen = async () => {
          const request = await openRequest()
          const quote = aQuote(request, { makerId, maker: freshWallet() })
          return admit(store, anAcceptance(request, { now: made, quote, proven: true }))
        }
        expect(await offerThen()).toBe(true)
        expect(await offerThen()).toBe('protected')
        expect((await store.protections.find(makerId))?.trip).toMatchObject({ at: made, until: made + 1_000 })
      })

      it('do not count what was taken back, and go on counting what was declined and what is put again', async () => {
        await store.protections.put(makerId, guarded([{ maxAccepted: 1 }]))
        const first = await offer()
        await store.acceptances.withdraw(first.acceptance.acceptanceId)
        const second = await offer()
        expect(second.result).toBe(true)
        await store.acceptances.end(second.acceptance.acceptanceId, 'declined')
        await store.protections.put(makerId, guarded([{ maxAccepted: 1, ms: 30_000 }]))
        expect((await offer()).result).toBe('protected')
      })

      it('count nothing of before where windows are put after none (protect-4)', async () => {
        const once = guarded([{ maxAccepted: 1 }])
        for (const protections of [once, NO_PROTECTIONS, once]) {
          await store.protections.put(makerId, protections)
          expect((await offer()).result).toBe(true)
        }
        expect((await offer()).result).toBe('protected')
      })

      it('refuse a node that knows others than those that stand, and trip nothing for a request that is closed', async () => {
        expect((await offer(0)).result).toBe(true)
        expect((await offer(7)).result).toBe('protected')
        const { version } = await store.protections.put(makerId, guarded([{ maxContracts: contracts(1n) }]))
        expect((await offer(0)).result).toBe('protected')
        expect((await offer(version - 1)).result).toBe('protected')
        const request = await openRequest()
        await store.requests.close(request.requestId, 'cancelled')
        const late = anAcceptance(request, { now, quote: aQuote(request, { makerId }) })
        expect(await admit(store, late, { protectionsVersion: version })).toBe(false)
        expect((await store.protections.find(makerId))?.trip).toBeNull()
      })
    })

    describe('blocks', () => {
      it('stand as they were decided last, for each maker, oldest first', async () => {
        const [ada, bob] = [randomUUID(), randomUUID()]
        const decision = { isBlocked: true, by: 'Ada', reason: 'never signs "☂"' }
        await store.blocks.decide({ ...decision, makerId: ada, at: 1 })
        await store.blocks.decide({ ...decision, makerId: bob, at: 2 })
        await store.blocks.decide({ makerId: ada, isBlocked: false, at: 3, by: 'Bob', reason: '' })
        const own = (await store.blocks.list()).filter(({ makerId }) => makerId === ada || makerId === bob)
        expect(own).toEqual([
          { ...decision, makerId: bob, at: 2 },
          { makerId: ada, isBlocked: false, at: 3, by: 'Bob', reason: '' },
        ])
      })
    })

    describe('the debt of a wallet', () => {
      it('is its pending acceptances and the confirmed ones that can still be filled', async () => {
        const maker = freshWallet()
        const make = async (wallet: typeof maker, validUntil: number) => {
          const request = await openRequest()
          return accept(request, { quote: aQuote(request, { maker: wallet }), validUntil })
        }
        const pending = await make(maker, 1_000)
        const fillable = await make(maker, 2_000)
        const lapsed = await make(maker, 1_999)
        const stranger = await make(OTHER_MAKER_WALLET, 3_000)
        const declined = await make(maker, 3_000)
        for (const acceptance of [fillable, lapsed, stranger]) await confirm(acceptance)
        await store.acceptances.end(declined.acceptanceId, 'declined')
        const { orders } = await store.acceptances.outstandingOf(maker.toLowerCase() as typeof maker, 2_000)
        expect(orders).toHaveLength(2)
        expect(orders).toContainEqual(outstandingOrder(pending, null))
        const { executedAt } = (await store.executions.findByRequest(fillable.requestId)) as Execution
        expect(orders).toContainEqual(outstandingOrder(fillable, executedAt))
      })

      it('is what new options take, and how many of its own an order hands over', async () => {
        const maker = freshWallet()
        const request = await openRequest()
        const plain = anAcceptance(request, { now, quote: aQuote(request, { maker }) })
        const acceptance = { ...plain, fromInventory: contracts(plain.order.optionAmount - 1n), closes: true as const }
        expect(
          await admit(store, acceptance, {
            outstandingVersion: (await store.acceptances.outstandingOf(maker, 0)).version,
          }),
        ).toBe(true)
        const { orders } = await store.acceptances.outstandingOf(maker, 0)
        expect(orders).toEqual([outstandingOrder(acceptance, null)])
        expect(orders[0]?.longs).toBe(acceptance.fromInventory)
        expect(await store.acceptances.findActive(request.requestId)).toEqual(acceptance)
        await confirm(acceptance)
        const { executedAt, acceptance: kept } = (await store.executions.findByRequest(request.requestId)) as Execution
        expect(kept).toEqual({ ...acceptance, state: 'confirmed' })
        expect((await store.acceptances.outstandingOf(maker, 0)).orders).toEqual([
          outstandingOrder(acceptance, executedAt),
        ])
        const query = { after: maker.toLowerCase().slice(0, -1), wallets: 1, since: 0, limit: 10 }
        expect((await store.orders.open(query))[0]).toMatchObject({ fromInventory: acceptance.fromInventory })
      })

      it('says of each order whether its taker was shown to be the owner of its wallet (decision C16)', async () => {
        const maker = freshWallet()
        const [shown, plain] = [await openRequest(), await openRequest()]
        const quoteOf = (request: QuoteRequest) => ({ now, quote: aQuote(request, { maker }) })
        const proven = { ...anAcceptance(shown, quoteOf(shown)), proven: true as const }
        const unproven = anAcceptance(plain, quoteOf(plain))
        for (const acceptance of [proven, unproven]) {
          await admit(store, acceptance)
          await confirm(acceptance)
        }
        expect(await store.acceptances.findActive(shown.requestId)).toEqual({ ...proven, state: 'confirmed' })
        const { orders } = await store.acceptances.outstandingOf(maker, 0)
        expect(orders.map(({ acceptanceId, isProven }) => [acceptanceId, isProven]).toSorted()).toEqual(
          [
            [proven.acceptanceId, true],
            [unproven.acceptanceId, false],
          ].toSorted(),
        )
      })

      it('promises its own options in one step: of many commits that looked at the same moment one is taken', async () => {
        const maker = freshWallet()
        const { version } = await store.acceptances.outstandingOf(maker, 0)
        const results = await Promise.all(
          Array.from({ length: 8 }, async () => {
            const request = await openRequest()
            const acceptance = anAcceptance(request, { now, quote: aQuote(request, { maker }) })
            return admit(store, { ...acceptance, fromInventory: contracts(1n) }, { outstandingVersion: version })
          }),
        )
        expect(results.filter((result) => result === true)).toHaveLength(1)
        const { orders } = await store.acceptances.outstandingOf(maker, 0)
        expect(orders.map(({ longs }) => longs)).toEqual([1n])
      })

      it('is looked at and added to in one step: of many that looked at the same moment one is taken', async () => {
        const maker = freshWallet()
        const outstanding = () => store.acceptances.outstandingOf(maker, 0)
        const acceptances = await Promise.all(
          Array.from({ length: 8 }, async () => {
            const request = await openRequest()
            return anAcceptance(request, { now, quote: aQuote(request, { maker }) })
          }),
        )
        const { version } = await outstanding()
        const insert = (acceptance: Acceptance) => admit(store, acceptance, { outstandingVersion: version })
        const results = await Promise.all(acceptances.map(insert))
        expect(results.filter((result) => result === true)).toHaveLength(1)
        expect(results.filter((result) => result === 'outdated')).toHaveLength(7)
        const next = acceptances[results.indexOf('outdated')] as Acceptance
        expect((await outstanding()).orders).toHaveLength(1)
        expect(await admit(store, next, { outstandingVersion: (await outstanding()).version })).toBe(true)
        expect((await outstanding()).orders).toHaveLength(2)
      })

      it('and was looked at too early is of no matter to a request that is closed', async () => {
        const maker = freshWallet()
        const request = await openRequest()
        const acceptance = anAcceptance(request, { now, quote: aQuote(request, { maker }) })
        await store.requests.close(request.requestId, 'cancelled')
        expect(await admit(store, acceptance, { outstandingVersion: 7 })).toBe(false)
      })

      const askedFor = async (maker: ReturnType<typeof freshWallet>, makerId: string) => {
        const request = await openRequest()
        return accept(request, { quote: aQuote(request, { maker, makerId }) })
      }
      const sign = ({ acceptanceId }: Acceptance, version?: number) =>
        store.acceptances.confirm(acceptanceId, { executionId: randomUUID(), signature: SIGNATURE }, version)

      it('and another maker has signed since must be counted before a maker of the same wallet can sign', async () => {
        const maker = freshWallet()
        const [first, second] = [await askedFor(maker, 'maker-1'), await askedFor(maker, 'maker-2')]
        const { version } = await store.acceptances.outstandingOf(maker, 0)
        expect(await sign(first)).toMatchObject({ acceptance: { acceptanceId: first.acceptanceId } })
        expect(await sign(second)).toBe('outdated')
        expect(await sign(second, version)).toBe('outdated')
        expect(await store.acceptances.findByQuote(second.quoteId)).toEqual(second)
        const counted = await store.acceptances.outstandingOf(maker, 0)
        expect(await sign(second, counted.version)).toMatchObject({ signature: SIGNATURE })
        expect(await sign(second, counted.version)).toBeNull()
      })

      it('by orders of the same maker was counted when it was asked', async () => {
        const maker = freshWallet()
        const [first, second] = [await askedFor(maker, 'maker-1'), await askedFor(maker, 'maker-1')]
        expect(await sign(first)).toMatchObject({ signature: SIGNATURE })
        expect(await sign(second)).toMatchObject({ signature: SIGNATURE })
      })

      it('is signed for by one of many makers that sign at the same moment', async () => {
        const maker = freshWallet()
        const asked = await Promise.all(Array.from({ length: 6 }, (_, i) => askedFor(maker, `maker-${i}`)))
        const results = await Promise.all(asked.map((acceptance) => sign(acceptance)))
        expect(results.filter((result) => result === 'outdated')).toHaveLength(5)
      })
    })

    describe('signed orders', () => {
      const filled = (blockNumber: number): OrderEnd => ({
        state: 'filled',
        transactionHash: `0x${'ab'.repeat(32)}`,
        blockNumber,
      })
      const sign = async (maker: ReturnType<typeof freshWallet>, validUntil: number) => {
        const request = await openRequest()
        const acceptance = await accept(request, { quote: aQuote(request, { maker }), validUntil })
        expect(await confirm(acceptance)).not.toBeNull()
        const { acceptanceId, requestId, quoteId, makerId, order } = acceptance
        return { acceptanceId, requestId, quoteId, makerId, order }
      }
      /** Far ahead, so that a store may be shared with other suites. */
      const base = () => 3_000_000_000 + Math.floor(Math.random() * 900_000_000)

      it('are open by their wallets until they end, and by the second in which they lapse', async () => {
        const [maker, other, from] = [freshWallet(), freshWallet(), base()]
        const [first, second, third] = [
          await sign(maker, from),
          await sign(maker, from + 1),
          await sign(other, from + 2),
        ]
        const pending = await openRequest()
        await accept(pending, { quote: aQuote(pending, { maker }), validUntil: from })
        const makers = [maker.toLowerCase()]
        expect(await store.orders.openOf({ makers, since: from })).toEqual(expect.arrayContaining([first, second]))
        expect(await store.orders.openOf({ makers, since: from + 1 })).toEqual([second])
        expect(await store.orders.lapsed({ since: from, before: from + 2, limit: 10 })).toEqual([first, second])
        expect(await store.orders.lapsed({ since: from, before: from + 3, limit: 1 })).toEqual([first])
        await store.orders.end([{ ...first, end: filled(9) }])
        expect(await store.orders.lapsed({ since: from, before: from + 3, limit: 10 })).toEqual([second, third])
        expect(await store.orders.openOf({ makers: [maker, other], since: from })).toHaveLength(2)
      })

      it('end once, by the first to see it, and the first end counts', async () => {
        const order = await sign(freshWallet(), base())
        const ends = Array.from({ length: 8 }, (_, block) => ({ ...order, end: filled(block) }))
        const told = (await Promise.all(ends.map((end) => store.orders.end([end])))).flat()
        expect(told).toHaveLength(1)
        expect(await store.orders.endOf(order.requestId)).toEqual(told[0]?.end)
        expect(await store.orders.end([{ ...order, end: { state: 'expired' } }])).toEqual([])
        expect(await store.orders.endOf(order.requestId)).toEqual(told[0]?.end)
        expect(await store.orders.endOf(randomUUID())).toBeNull()
      })

      it('end several at a time, each by its own end, and their makers find it in their history', async () => {
        const [maker, from] = [freshWallet(), base()]
        const orders = [await sign(maker, from), await sign(maker, from), await sign(maker, from)]
        const end = [filled(1), { state: 'expired' }, { ...filled(3), state: 'cancelled' }] as const
        const ended = orders.map((order, i) => ({ ...order, end: end[i] as OrderEnd }))
        const told = await store.orders.end([...ended, ...ended])
        expect(told.map(({ requestId }) => requestId).sort()).toEqual(orders.map(({ requestId }) => requestId).sort())
        for (const one of ended) expect(await store.orders.endOf(one.requestId)).toEqual(one.end)
        const query = { makerId: 'maker-1', after: null, since: null, status: 'confirmed', limit: 10_000 } as const
        const outcomes = (await store.history.list(query)) ?? []
        const endOf = (requestId: string) =>
          outcomes.flatMap((one) => (one.requestId === requestId && 'end' in one ? [one.end] : []))
        for (const one of ended) expect(endOf(one.requestId)).toEqual([one.end])
      })

      it('that have ended are owed for a moment more with their block, and one that has lapsed is not', async () => {
        const [maker, from] = [freshWallet(), base()]
        const [first, second, third] = [await sign(maker, from), await sign(maker, from), await sign(maker, from)]
        await store.orders.end([
          { ...first, end: filled(77) },
          { ...second, end: { state: 'cancelled', transactionHash: `0x${'ab'.repeat(32)}`, blockNumber: 78 } },
        ])
        const { orders } = await store.acceptances.outstandingOf(maker, from)
        const endedIn = new Map(orders.map((order) => [order.acceptanceId, order.endedIn]))
        expect(endedIn).toEqual(
          new Map([
            [first.acceptanceId, 77],
            [second.acceptanceId, 78],
            [third.acceptanceId, null],
          ]),
        )
      })

      describe('rate their taker', () => {
        const signFor = async (taker: ReturnType<typeof freshWallet>, proof: { proven?: true } = { proven: true }) => {
          const request = await openRequest()
          // Makers of their own, which do not wait for each other's signatures.
          const quote = aQuote(request, { maker: freshWallet() })
          const acceptance = await accept(request, { quote, taker, validUntil: base(), ...proof })
          expect(await confirm(acceptance)).not.toBeNull()
          const { acceptanceId, requestId, quoteId, makerId, order } = acceptance
          return { acceptanceId, requestId, quoteId, makerId, order, ...proof }
        }
        const expired: OrderEnd = { state: 'expired' }
        const cancelled: OrderEnd = { state: 'cancelled', transactionHash: `0x${'ab'.repeat(32)}`, blockNumber: 3 }
        const ratingOf = (taker: string, sinceMs = 3_600_000) =>
          store.orders.ratingOf({ taker: taker as ReturnType<typeof freshWallet>, sinceMs })

        it('by those that ended, but not by what makers cancelled, however its address is written', async () => {
          const [taker, other] = [freshWallet(), freshWallet()]
          expect(await ratingOf(taker)).toEqual({ orders: 0, filled: 0 })
          const ends = [filled(1), expired, filled(2), cancelled]
          for (const end of ends) await store.orders.end([{ ...(await signFor(taker)), end }])
          await store.orders.end([{ ...(await signFor(other)), end: expired }])
          await signFor(taker)
          expect(await ratingOf(taker)).toEqual({ orders: 3, filled: 2 })
          expect(await ratingOf(taker.toLowerCase())).toEqual({ orders: 3, filled: 2 })
          expect(await ratingOf(taker, 0)).toEqual({ orders: 0, filled: 0 })
        })

        it('but not by what expired without the money of its maker', async () => {
          const taker = freshWallet()
          const defunding: Defunding = { code: 'maker_insufficient_balance', blockNumber: 7 }
          for (const end of [expired, filled(1)]) {
            const order = await signFor(taker)
            await store.orders.defund([{ ...order, defunding }])
            await store.orders.end([{ ...order, end }])
          }
          expect(await ratingOf(taker)).toEqual({ orders: 1, filled: 1 })
        })

        it('but not by what expired of commits in its name that it did not prove to be its own', async () => {
          const taker = freshWallet()
          for (const end of [expired, filled(1)]) await store.orders.end([{ ...(await signFor(taker, {})), end }])
          expect(await ratingOf(taker)).toEqual({ orders: 1, filled: 1 })
        })

        it('by the newest hundred', async () => {
          const taker = freshWallet()
          const orders = await Promise.all(Array.from({ length: RATED_ORDERS + 1 }, () => signFor(taker)))
          const [oldest, ...newer] = orders
          await store.orders.end([{ ...(oldest as (typeof orders)[0]), end: filled(1) }])
          await store.orders.end(newer.map((order) => ({ ...order, end: expired })))
          expect(await ratingOf(taker)).toEqual({ orders: RATED_ORDERS, filled: 0 })
        })
      })

      it('are listed while they are open, wallet by wallet, with what their makers must pay and when they signed', async () => {
        const from = base()
        const prefix = freshWallet().slice(0, -1)
        // No wallet of another suite comes between them.
        const [low, middle, high] = [`${prefix}1`, `${prefix}2`, `${prefix}3`] as [Address, Address, Address]
        const signed = [
          await sign(high, from),
          await sign(middle, from + 1),
          await sign(middle, from),
          await sign(low, from),
        ]
        const [ofHigh, first, second] = signed.map(({ requestId }) => requestId)
        await store.orders.end([{ ...(signed[3] as SignedOrder), end: filled(9) }])
        const lapsed = await sign(high, from - 1)
        const list = async (after: string, atMost: { wallets?: number; limit?: number } = {}) => {
          const found = await store.orders.open({ after, since: from, wallets: 2, limit: 100, ...atMost })
          return found.map(({ requestId }) => requestId)
        }
        const before = low.toLowerCase()
        expect(await list(before)).toEqual([first, second, ofHigh])
        expect(await list(before, { wallets: 1 })).toEqual([first, second])
        expect(await list(before, { limit: 1 })).toEqual([first])
        expect(await list(middle.toLowerCase(), { wallets: 1 })).toEqual([ofHigh])
        expect(await list(before, { wallets: 100 })).not.toContain(lapsed.requestId)
        const [one] = await store.orders.open({ after: before, since: from, wallets: 1, limit: 1 })
        const execution = (await store.executions.findByRequest(first as string)) as Execution
        const { option, createdAt } = execution.acceptance
        expect(one).toEqual({ ...signed[1], option, createdAt, confirmedAt: execution.executedAt })
      })

      it('are noted as defunded once, while they are open, and end all the same', async () => {
        const [maker, from] = [freshWallet(), base()]
        const [order, ended] = [await sign(maker, from), await sign(maker, from)]
        await store.orders.end([{ ...ended, end: filled(9) }])
        const defunding = (blockNumber: number): Defunding => ({ code: 'maker_insufficient_balance', blockNumber })
        const notes = Array.from({ length: 8 }, (_, block) => ({ ...order, defunding: defunding(block) }))
        const told = (await Promise.all(notes.map((note) => store.orders.defund([note])))).flat()
        expect(told).toHaveLength(1)
        expect(await store.orders.defund([{ ...order, defunding: defunding(99) }])).toEqual([])
        expect(await store.orders.defund([{ ...ended, defunding: defunding(99) }])).toEqual([])
        expect(await store.orders.openOf({ makers: [maker], since: from })).toEqual([order])
        expect(await store.orders.end([{ ...order, end: { state: 'expired' } }])).toHaveLength(1)
        const query = { makerId: 'maker-1', after: null, since: null, status: 'confirmed', limit: 10_000 } as const
        const outcomes = (await store.history.list(query)) ?? []
        const of = (requestId: string) => outcomes.find((one) => one.requestId === requestId)
        expect(of(order.requestId)).toMatchObject({ end: { state: 'expired' }, defunding: told[0]?.defunding })
        expect(of(ended.requestId)).toMatchObject({ end: filled(9), defunding: null })
      })

      it('are known up to a checkpoint that only moves on', async () => {
        const block = (number: number) => ({ block: number, hash: `0x${'cd'.repeat(32)}` as const })
        const since = (await store.orders.checkpoint())?.since ?? 500
        await store.orders.keep({ block: null, since })
        await store.orders.keep({ block: block(20), since: since + 1 })
        await store.orders.keep({ block: block(10), since: since + 2 })
        await store.orders.keep({ block: null, since: since + 3 })
        expect(await store.orders.checkpoint()).toEqual({ block: block(20), since })
      })
    })

    describe('resolutions', () => {
      it('keeps the first resolution of a series forever', async () => {
        const seriesId = freshSeriesId()
        expect(await store.resolutions.find(seriesId)).toBeNull()
        const first = aResolution(seriesId, 59)
        expect(await store.resolutions.pin(first)).toEqual(first)
        expect(await store.resolutions.pin(aResolution(seriesId, 60))).toEqual(first)
        expect(await store.resolutions.find(seriesId)).toEqual(first)
      })

      it('lets one of many pins win, the same for all callers', async () => {
        const seriesId = freshSeriesId()
        const pinned = await Promise.all(
          Array.from({ length: 20 }, (_, bps) => store.resolutions.pin(aResolution(seriesId, bps))),
        )
        expect(new Set(pinned.map(({ resolutionBps }) => resolutionBps)).size).toBe(1)
        expect(await store.resolutions.find(seriesId)).toEqual(pinned[0])
      })

      it('takes an escalation again and again', async () => {
        const escalation = { seriesId: freshSeriesId(), reason: 'no_price_data', windowStart: 1, windowEnd: 2, at: 3 }
        await store.resolutions.escalate(escalation)
        await store.resolutions.escalate({ ...escalation, reason: 'gap_too_long' })
      })
    })

    describe('prices', () => {
      it('returns the points of a token between two times, both included, in order of time', async () => {
        const token = freshSeriesId()
        for (const t of [40, 10, 30, 20, 50]) await store.prices.record(token, { t, p: t / 100 })
        await store.prices.record(freshSeriesId(), { t: 25, p: 0.5 })
        expect(await store.prices.between(token, 20, 40)).toEqual([
          { t: 20, p: 0.2 },
          { t: 30, p: 0.3 },
          { t: 40, p: 0.4 },
        ])
        expect(await store.prices.between(token, 51, 99)).toEqual([])
      })

      it('keeps the first price that was recorded of a moment', async () => {
        const token = freshSeriesId()
        await store.prices.record(token, { t: 10, p: 0.1 })
        await store.prices.record(token, { t: 10, p: 0.9 })
        expect(await store.prices.between(token, 0, 99)).toEqual([{ t: 10, p: 0.1 }])
      })
    })

    describe('faucet claims', () => {
      it('gives a wallet one turn per cooldown, however its address is written and however many ask at once', async () => {
        const wallet = freshWallet()
        const spellings = [wallet, wallet.toLowerCase() as typeof wallet]
        const claims = await Promise.all(
          Array.from({ length: 50 }, (_, i) =>
            store.faucetClaims.claim(spellings[i % 2] as typeof wallet, { cooldownMs: 60_000, perHour: 1_000_000 }),
          ),
        )
        expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1)
        const refused = claims.find((claim) => claim.kind !== 'claimed')
        expect(Math.abs((refused?.until ?? 0) - (now + 60_000))).toBeLessThan(60_000)
      })

      it('gives no more in an hour than it may, to all callers together, and says when there is more', async () => {
        const wallet = freshWallet()
        const none = { cooldownMs: 60_000, perHour: 0 }
        const refused = await store.faucetClaims.claim(wallet, none)
        expect(refused).toEqual({ kind: 'exhausted', until: expect.any(Number) })
        const until = refused.kind === 'exhausted' ? refused.until : 0
        expect(until - now).toBeGreaterThan(-60_000)
        expect(until - now).toBeLessThan(3_660_000)
        expect(await store.faucetClaims.claim(wallet, { ...none, perHour: 1_000_000 })).toEqual({ kind: 'claimed' })
        expect((await store.faucetClaims.claim(wallet, none)).kind).toBe('cooldown')
      })

      it('gives the next turn when the cooldown is over or the turn was given back', async () => {
        const wallet = freshWallet()
        await store.faucetClaims.claim(wallet, { cooldownMs: 60_000, perHour: 1_000_000 })
        expect(await store.faucetClaims.claim(wallet, { cooldownMs: 0, perHour: 1_000_000 })).toEqual({
          kind: 'claimed',
        })
        await store.faucetClaims.release(wallet.toLowerCase() as typeof wallet)
        expect(await store.faucetClaims.claim(wallet, { cooldownMs: 60_000, perHour: 1_000_000 })).toEqual({
          kind: 'claimed',
        })
      })
    })

    describe('makers that quoted', () => {
      it('are listed with their quoteIds and misses until they learn the outcome of the request', async () => {
        const [one, two] = [await openRequest(), await openRequest()]
        const ada = { makerId: 'ada', quoteId: randomUUID(), misses: 0 }
        const bob = { makerId: 'bob', quoteId: randomUUID(), misses: 0 }
        store.quoters.record(one.requestId, ada)
        store.quoters.record(one.requestId, bob)
        store.quoters.record(two.requestId, { ...ada, quoteId: 'another' })
        store.quoters.record(one.requestId, { ...bob, misses: 1 })
        const listed = async (requestId: string) => (await store.quoters.list()).get(requestId)?.toSorted(byMaker)
        expect(await listed(one.requestId)).toEqual([ada, { ...bob, misses: 1 }])
        store.quoters.record(one.requestId, { ...bob, misses: 2 })
        await store.requests.close(one.requestId, 'cancelled')
        expect(await listed(one.requestId)).toEqual([ada, { ...bob, misses: 2 }])
        const rejections = [ada, bob].map(({ makerId, quoteId }) => ({ makerId, quoteId, requestId: one.requestId }))
        store.history.reject(
          one.requestId,
          rejections.map((rejection) => ({ ...rejection, reason: 'request_cancelled' as const })),
        )
        expect(await listed(one.requestId)).toBeUndefined()
        expect(await listed(two.requestId)).toEqual([{ ...ada, quoteId: 'another' }])
      })

      it('are listed although none was rejected', async () => {
        const { requestId } = await openRequest()
        store.quoters.record(requestId, { makerId: 'ada', quoteId: randomUUID(), misses: 0 })
        store.history.reject(requestId, [])
        expect((await store.quoters.list()).get(requestId)).toBeUndefined()
      })

      const byMaker = (a: { makerId: string }, b: { makerId: string }) => (a.makerId < b.makerId ? -1 : 1)
    })

    describe('the history of a maker', () => {
      const everything = { after: null, since: null, status: null, limit: 100 } as const
      const reject = (makerId: string, quoteId: string) => {
        const requestId = randomUUID()
        store.history.reject(requestId, [{ makerId, requestId, quoteId, reason: 'another_quote_won' }])
      }

      it.each([null, usd6(100_001n)])('keeps how a quote stood beside the winner, priced %s', async (winningPrice) => {
        const [makerId, requestId] = [randomUUID(), randomUUID()]
        const feedback = { rank: 2, quoteCount: 3, winningPrice }
        store.history.reject(requestId, [
          { makerId, requestId, quoteId: 'lost', reason: 'another_quote_won', feedback },
          { makerId, requestId, quoteId: 'withdrawn', reason: 'another_quote_won' },
        ])
        const outcomes = (await store.history.list({ ...everything, makerId })) ?? []
        const kept = outcomes.map((outcome) => [outcome.quoteId, 'feedback' in outcome ? outcome.feedback : null])
        expect(new Map(kept as [string, unknown][])).toEqual(
          new Map<string, unknown>([
            ['lost', feedback],
            ['withdrawn', null],
          ]),
        )
      })

      it('counts what it quoted on, and what of that it won', async () => {
        const makerId = randomUUID()
        expect(await store.history.countWins(makerId)).toEqual({ requests: 0, won: 0 })
        const won = await openRequest()
        await confirm(await accept(won, { quote: aQuote(won, { makerId }) }))
        reject(makerId, 'lost')
        reject(makerId, 'lost, too')
        reject(randomUUID(), 'of another')
        expect(await store.history.countWins(makerId)).toEqual({ requests: 3, won: 1 })
      })

      it('tells what became of its quotes, and nothing of those of others', async () => {
        const makerId = randomUUID()
        const won = await openRequest()
        const lost = await openRequest()
        const winner = await accept(won, { quote: aQuote(won, { makerId }) })
        const execution = await confirm(winner)
        store.history.reject(lost.requestId, [
          { makerId, requestId: lost.requestId, quoteId: 'lost', reason: 'request_expired' },
          { makerId: randomUUID(), requestId: lost.requestId, quoteId: 'of another', reason: 'request_expired' },
        ])
        const outcomes = await store.history.list({ ...everything, makerId })
        const ofWon = {
          status: 'confirmed',
          at: execution?.executedAt,
          requestId: won.requestId,
          quoteId: winner.quoteId,
        }
        expect(outcomes).toHaveLength(2)
        expect(outcomes).toContainEqual({ ...ofWon, execution, end: null, defunding: null })
        expect(outcomes).toContainEqual({
          status: 'rejected',
          at: expect.any(Number),
          requestId: lost.requestId,
          quoteId: 'lost',
          reason: 'request_expired',
        })
      })

      it('comes in pages, oldest first, each outcome once', async () => {
        const makerId = randomUUID()
        const quoteIds = Array.from({ length: 7 }, () => randomUUID())
        for (const quoteId of quoteIds) {
          reject(makerId, quoteId)
        }
        const seen: string[] = []
        for (let after: string | null = null; ; ) {
          const page: readonly Outcome[] = (await store.history.list({ ...everything, makerId, after, limit: 3 })) ?? []
          seen.push(...page.map(({ quoteId }) => quoteId))
          if (page.length < 3) break
          after = page.at(-1)?.quoteId ?? null
        }
        expect([...seen].sort()).toEqual([...quoteIds].sort())
      })

      it('can be narrowed to a status and to a time', async () => {
        const makerId = randomUUID()
        const request = await openRequest()
        await confirm(await accept(request, { quote: aQuote(request, { makerId }) }))
        reject(makerId, 'lost')
        const list = async (narrower: Partial<HistoryQuery>) =>
          (await store.history.list({ ...everything, makerId, ...narrower }))?.map(({ status }) => status)
        expect(await list({ status: 'confirmed' })).toEqual(['confirmed'])
        expect(await list({ status: 'rejected' })).toEqual(['rejected'])
        expect(await list({ since: now - 60_000 })).toHaveLength(2)
        expect(await list({ since: now + 3_600_000 })).toEqual([])
      })

      it('does not go on from an outcome that is not the maker’s', async () => {
        const makerId = randomUUID()
        reject(makerId, 'lost')
        expect(await store.history.list({ ...everything, makerId, after: randomUUID() })).toBeNull()
        expect(await store.history.list({ ...everything, makerId: randomUUID() })).toEqual([])
      })
    })

    describe('users', () => {
      const fresh = (idpDid: string): User => ({
        userId: randomUUID(),
        idpDid,
        makerId: `maker-${randomUUID()}`,
        createdAt: now,
      })

      it('are made at the first sight of an identity and stay the same', async () => {
        const idpDid = `did:example:${randomUUID()}`
        const first = await store.users.findOrCreate(fresh(idpDid))
        expect(await store.users.findOrCreate(fresh(idpDid))).toEqual(first)
        expect(await store.users.findOrCreate(fresh(`${idpDid}2`))).not.toEqual(first)
      })

      it('are one per identity, however many calls come first at the same time', async () => {
        const idpDid = `did:example:${randomUUID()}`
        const users = await Promise.all(Array.from({ length: 20 }, () => store.users.findOrCreate(fresh(idpDid))))
        expect(new Set(users.map(({ makerId }) => makerId)).size).toBe(1)
      })

      const aName = () => `ada-${randomUUID().slice(0, 8)}`

      it('settle their makerId once, with one of their choice or the one that they have', async () => {
        const [ada, bob] = [fresh(`did:${randomUUID()}`), fresh(`did:${randomUUID()}`)]
        for (const user of [ada, bob]) await store.users.findOrCreate(user)
        const chosen = aName()
        const settled = { ...ada, makerId: chosen }
        expect(await store.users.settleMakerId({ idpDid: ada.idpDid, chosen })).toEqual(settled)
        expect(await store.users.settleMakerId({ idpDid: bob.idpDid, chosen: null })).toEqual(bob)
        expect(await store.users.settleMakerId({ idpDid: bob.idpDid, chosen: aName() })).toBe('settled')
        expect(await store.users.settleMakerId({ idpDid: bob.idpDid, chosen })).toBe('settled')
        expect(await store.users.settleMakerId({ idpDid: bob.idpDid, chosen: bob.makerId })).toEqual(bob)
        expect(await store.users.settleMakerId({ idpDid: ada.idpDid, chosen: aName() })).toBe('settled')
        for (const same of [chosen, null])
          expect(await store.users.settleMakerId({ idpDid: ada.idpDid, chosen: same })).toEqual(settled)
        expect(await store.users.findOrCreate(fresh(ada.idpDid))).toEqual(settled)
        expect(await store.users.findOrCreate(fresh(bob.idpDid))).toEqual(bob)
      })

      it('have a makerId to themselves: of many that choose it at once one gets it, and the others may choose again', async () => {
        const users = Array.from({ length: 10 }, () => fresh(`did:${randomUUID()}`))
        for (const user of users) await store.users.findOrCreate(user)
        const chosen = aName()
        const settle = (user: User, makerId: string) =>
          store.users.settleMakerId({ idpDid: user.idpDid, chosen: makerId })
        const settled = await Promise.all(users.map((user) => settle(user, chosen)))
        expect(settled.filter((each) => each !== 'taken')).toEqual([expect.objectContaining({ makerId: chosen })])
        const loser = users[settled.indexOf('taken')] as User
        const [drawn, another] = [users[settled.lastIndexOf('taken')]?.makerId ?? '', aName()]
        expect(await settle(loser, drawn)).toBe('taken')
        expect(await store.users.findOrCreate(fresh(loser.idpDid))).toEqual(loser)
        expect(await settle(loser, another)).toEqual({ ...loser, makerId: another })
      })

      it('have one makerId, however many they choose at once', async () => {
        const user = fresh(`did:${randomUUID()}`)
        await store.users.findOrCreate(user)
        const settled = await Promise.all(
          Array.from({ length: 10 }, () => store.users.settleMakerId({ idpDid: user.idpDid, chosen: aName() })),
        )
        const stands = await store.users.findOrCreate(user)
        expect(settled.filter((each) => each !== 'settled')).toEqual([stands])
      })
    })

    describe('API keys', () => {
      async function aUser(): Promise<User> {
        const userId = randomUUID()
        return store.users.findOrCreate({ userId, idpDid: `did:${userId}`, makerId: `maker-${userId}`, createdAt: now })
      }

      async function aKey(user: User, changes: Partial<ApiKey> = {}): Promise<ApiKey> {
        const key: ApiKey = {
          keyId: randomUUID(),
          userId: user.userId,
          makerId: user.makerId,
          name: 'desk 1',
          prefix: 'mk_live_abcd',
          digest: randomUUID().replaceAll('-', '').repeat(2),
          createdAt: now,
          lastUsedAt: null,
          revokedAt: null,
          ...changes,
        }
        await store.apiKeys.insert(key, 20)
        return key
      }

      it('are found by the digest of their secret', async () => {
        const key = await aKey(await aUser())
        expect(await store.apiKeys.findByDigest(key.digest)).toEqual(key)
        expect(await store.apiKeys.findByDigest('00'.repeat(32))).toBeNull()
        expect(await store.apiKeys.findByDigest('__proto__')).toBeNull()
      })

      it('are listed by user, oldest first', async () => {
        const user = await aUser()
        const second = await aKey(user, { createdAt: now + 1 })
        const first = await aKey(user)
        await aKey(await aUser())
        expect(await store.apiKeys.listActive(user.userId)).toEqual([first, second])
      })

      it('stop counting at once when they are revoked, for exactly one of many callers', async () => {
        const user = await aUser()
        const key = await aKey(user)
        const revoked = await Promise.all(Array.from({ length: 10 }, () => store.apiKeys.revoke(key)))
        expect(revoked.filter((each) => each !== null)).toEqual([{ ...key, revokedAt: expect.any(Number) }])
        expect(await store.apiKeys.findByDigest(key.digest)).toBeNull()
        expect(await store.apiKeys.listActive(user.userId)).toEqual([])
      })

      it('are revoked by their own user only', async () => {
        const key = await aKey(await aUser())
        const stranger = await aUser()
        expect(await store.apiKeys.revoke({ keyId: key.keyId, userId: stranger.userId })).toBeNull()
        expect(await store.apiKeys.findByDigest(key.digest)).toEqual(key)
        expect(await store.apiKeys.revoke({ keyId: randomUUID(), userId: key.userId })).toBeNull()
      })

      it('are as many as one user may have, however many are made at once, and a revoked one makes room', async () => {
        const user = await aUser()
        const made = await Promise.all(
          Array.from({ length: 12 }, async (_, i) => {
            const key = {
              ...(await aKey(await aUser())),
              ...user,
              keyId: randomUUID(),
              digest: randomUUID(),
              name: `${i}`,
            }
            return { key, inserted: await store.apiKeys.insert(key, 5) }
          }),
        )
        expect(made.filter(({ inserted }) => inserted)).toHaveLength(5)
        expect(await store.apiKeys.listActive(user.userId)).toHaveLength(5)
        const [kept, refused] = [true, false].map((inserted) => made.find((each) => each.inserted === inserted)?.key)
        expect(await store.apiKeys.findByDigest(refused?.digest ?? '')).toBeNull()
        await store.apiKeys.revoke(kept as ApiKey)
        expect(await store.apiKeys.insert(refused as ApiKey, 5)).toBe(true)
      })

      it('never share a digest', async () => {
        const key = await aKey(await aUser())
        await expect(aKey(await aUser(), { digest: key.digest })).rejects.toThrow()
        expect(await store.apiKeys.findByDigest(key.digest)).toEqual(key)
      })

      it('remember when they were used last', async () => {
        const user = await aUser()
        const key = await aKey(user)
        store.apiKeys.recordUse(key)
        const [listed] = await store.apiKeys.listActive(user.userId)
        expect(Math.abs((listed?.lastUsedAt ?? 0) - now)).toBeLessThan(60_000)
      })

      it('do not come back to life by a use that is noted after they were revoked', async () => {
        const user = await aUser()
        const key = await aKey(user)
        await store.apiKeys.revoke(key)
        store.apiKeys.recordUse(key)
        expect(await store.apiKeys.listActive(user.userId)).toEqual([])
        expect(await store.apiKeys.findByDigest(key.digest)).toBeNull()
      })
    })

    describe('reviews', () => {
      it('are the escalated series that have no resolution, oldest first; the first note counts', async () => {
        const [first, second] = [freshSeriesId(), freshSeriesId()]
        const note = { reason: 'no_price_data', windowStart: 1, windowEnd: 1_801 }
        await store.resolutions.escalate({ ...note, seriesId: second, at: 2_000 })
        await store.resolutions.escalate({ ...note, seriesId: first, at: 1_000 })
        await store.resolutions.escalate({ ...note, seriesId: first, at: 3_000, reason: 'gap_too_long' })
        const mine = async () =>
          (await store.resolutions.listEscalated()).filter(({ seriesId }) => [first, second].includes(seriesId))
        expect(await mine()).toEqual([
          { ...note, seriesId: first, at: 1_000 },
          { ...note, seriesId: second, at: 2_000 },
        ])
        await store.resolutions.pin(aResolution(first, 50))
        expect(await mine()).toEqual([{ ...note, seriesId: second, at: 2_000 }])
      })

      it('are found by series, also once a person has decided, whose name and reason stay with the resolution', async () => {
        const seriesId = freshSeriesId()
        const note = { seriesId, reason: 'no_price_data', windowStart: 1, windowEnd: 1_801, at: 2_000 }
        expect(await store.resolutions.findEscalation(seriesId)).toBeNull()
        await store.resolutions.escalate(note)
        const decided = {
          ...aResolution(seriesId, 50),
          decision: { by: 'Ada', reason: 'the source’s own page: “50¢”' },
        }
        expect(await store.resolutions.pin(decided)).toEqual(decided)
        expect(await store.resolutions.find(seriesId)).toEqual(decided)
        expect(await store.resolutions.findEscalation(seriesId)).toEqual(note)
      })
    })

    describe('the audit log', () => {
      it('returns what was recorded of a request, in order and exactly', async () => {
        const request = aRequest(now)
        const entries = auditOf(request, now)
        for (const entry of entries) store.audit.record(entry)
        store.audit.record({ at: now, requestId: randomUUID(), kind: 'closed', status: 'expired' })
        expect(await store.audit.find(request.requestId)).toEqual(entries)
        expect(await store.audit.find(randomUUID())).toEqual([])
      })
    })

    it('says that it can take changes', async () => {
      await expect(store.ping()).resolves.toBeUndefined()
    })

    it('knows nothing under an invalid id, whatever its characters', async () => {
      for (const id of ['', '\0', 'a\0b', '\ud800', '__proto__', "'; drop table requests; --", 'x'.repeat(10_000)]) {
        expect(await store.requests.find(id)).toBeNull()
        expect(await store.acceptances.findByQuote(id)).toBeNull()
        expect(await store.acceptances.findActive(id)).toBeNull()
        expect(await store.executions.findByRequest(id)).toBeNull()
        expect(await store.apiKeys.findByDigest(id)).toBeNull()
        expect(await store.apiKeys.revoke({ keyId: id, userId: id })).toBeNull()
        expect(await store.history.list({ makerId: id, after: id, since: null, status: null, limit: 1 })).toBeNull()
        expect(await store.audit.find(id)).toEqual([])
      }
    })

    it('tells how often it was opened', () => {
      expect(store.epoch).toBeGreaterThanOrEqual(1)
    })
  })
}
