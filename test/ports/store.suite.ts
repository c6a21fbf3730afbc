import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { QuoteRequest } from '../../src/domain/request.ts'
import type { Acceptance, Store } from '../../src/relay/ports.ts'
import {
  anAcceptance,
  aQuote,
  aRequest,
  aResolution,
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
      const acceptance = anAcceptance(request, { now, ...changes })
      expect(await store.acceptances.insert(acceptance)).toBe(true)
      return acceptance
    }

    const confirm = ({ acceptanceId }: Acceptance, executionId: string = randomUUID()) =>
      store.acceptances.confirm(acceptanceId, { executionId, signature: SIGNATURE })

    describe('requests', () => {
      it('returns a request exactly as it was inserted, whichever side it takes', async () => {
        const buy = await openRequest({ wallet: null })
        const sell = await openRequest({ trade: { side: 'sell', size: aQuote(buy).size } })
        expect(await store.requests.find(buy.requestId)).toEqual({ request: buy, status: 'open' })
        expect(await store.requests.find(sell.requestId)).toEqual({ request: sell, status: 'open' })
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
        expect(await store.requests.find(cancelled.requestId)).toEqual({ request: cancelled, status: 'cancelled' })
        expect(await store.requests.find(expired.requestId)).toEqual({ request: expired, status: 'expired' })
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

      it('starts each wallet at the same multiple of 2^32, below 2^53', async () => {
        const { requestId } = await openRequest()
        const nonce = await store.allotNonce(requestId, freshWallet())
        expect(nonce % 2 ** 32).toBe(0)
        expect(nonce).toBeLessThan(2 ** 52)
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
      it('returns a pending acceptance exactly as it was inserted, with its frozen order', async () => {
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
          Array.from({ length: 20 }, () => store.acceptances.insert(anAcceptance(request, { now }))),
        )
        expect(inserted.filter(Boolean)).toHaveLength(1)
      })

      it('takes no second acceptance beside a confirmed one', async () => {
        const request = await openRequest()
        await confirm(await accept(request))
        expect(await store.acceptances.insert(anAcceptance(request, { now }))).toBe(false)
      })

      it('takes no acceptance of a request that is closed or unknown', async () => {
        const request = await openRequest()
        await store.requests.close(request.requestId, 'cancelled')
        expect(await store.acceptances.insert(anAcceptance(request, { now }))).toBe(false)
        expect(await store.acceptances.insert(anAcceptance(aRequest(now), { now }))).toBe(false)
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

    describe('what a wallet owes', () => {
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
        const owed = await store.acceptances.owedBy(maker.toLowerCase() as typeof maker, 2_000)
        expect(owed).toHaveLength(2)
        expect(owed).toContainEqual(pending)
        expect(owed).toContainEqual({ ...fillable, state: 'confirmed' })
      })
    })

    describe('resolutions', () => {
      it('keeps the first resolution of a series for ever', async () => {
        const seriesId = freshSeriesId()
        expect(await store.resolutions.find(seriesId)).toBeNull()
        const first = aResolution(seriesId, 59)
        expect(await store.resolutions.pin(first)).toEqual(first)
        expect(await store.resolutions.pin(aResolution(seriesId, 60))).toEqual(first)
        expect(await store.resolutions.find(seriesId)).toEqual(first)
      })

      it('lets one of many pins stand, the same for everybody', async () => {
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
          Array.from({ length: 50 }, (_, i) => store.faucetClaims.claim(spellings[i % 2] as typeof wallet, 60_000)),
        )
        expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1)
        const refused = claims.find((claim) => claim.kind === 'cooldown')
        expect(Math.abs((refused?.until ?? 0) - (now + 60_000))).toBeLessThan(60_000)
      })

      it('gives the next turn when the cooldown is over or the turn was given back', async () => {
        const wallet = freshWallet()
        await store.faucetClaims.claim(wallet, 60_000)
        expect(await store.faucetClaims.claim(wallet, 0)).toEqual({ kind: 'claimed' })
        await store.faucetClaims.release(wallet.toLowerCase() as typeof wallet)
        expect(await store.faucetClaims.claim(wallet, 60_000)).toEqual({ kind: 'claimed' })
      })
    })

    it('tells how often it was opened', () => {
      expect(store.epoch).toBeGreaterThanOrEqual(1)
    })
  })
}
