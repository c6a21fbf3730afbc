import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { compareQuotes, type RankedQuote } from '../../src/protocol/domain/best-quote.ts'
import { contracts, usd6 } from '../../src/protocol/domain/units.ts'
import type { Book, OrderSignature } from '../../src/relay/core/ports/book.ts'
import { CALL_BUY, DEMOTION, PUT_SELL, START_MS } from '../support/test-relay.ts'
import { aPackageRequest, aQuote, aRequest } from './book.fixtures.ts'

const FIRM_SIGNATURE: OrderSignature = { signature: `0x${'11'.repeat(65)}`, shownBy: 'key' }

/** The highest prices of a single option and of a package, in micro-dollars, and the most misses that sort. */
const MOST = { option: 1_000_000, package: 16_000_000, misses: 499_999 }

/** As many makers as quotes of one case, each demoted or not in all requests of the suite. */
const MAKERS = Array.from({ length: 8 }, (_, n) => ({ makerId: `maker-${n}`, isDemoted: n % 4 === 3 }))

/** A number that often is one of a few, so that quotes tie, or at an end of its range. */
const tied = (least: number, most: number) =>
  fc.oneof(fc.constantFrom(least, least + 1, least + 9, most - 1, most), fc.integer({ min: least, max: most }))

/** A quote as its maker makes it: the quotes of a case are in the order of its makers. */
const quoteOf = (highest: number) =>
  fc.record({
    id: fc.stringMatching(/^[0-9a-f]{1,3}$/),
    misses: tied(0, MOST.misses),
    isFirm: fc.boolean(),
    price: tied(1, highest),
    pricedAt: tied(0, START_MS),
    /** It quotes again after that, perhaps at the same price. */
    again: fc.option(fc.record({ price: fc.option(tied(1, highest)), pricedAt: tied(0, START_MS) })),
  })

const cases = fc.constantFrom('option' as const, 'package' as const).chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    quotes: fc.array(quoteOf(MOST[kind]), { minLength: 2, maxLength: MAKERS.length }),
  }),
)

/** The order of quotes in a book is that of the domain, whatever they are. */
export function describeRanking(name: string, create: () => Promise<{ book: Book }>): void {
  describe(`${name}: the quotes of a request`, () => {
    let book: Book
    let requests = 0

    beforeAll(async () => {
      book = (await create()).book
      for (const { makerId, isDemoted } of MAKERS) {
        for (let miss = 0; isDemoted && miss < DEMOTION.misses; miss += 1) {
          const requestId = `missed-${miss}-by-${makerId}`
          const quote = aQuote(makerId, { requestId, quoteId: requestId })
          await book.open(aRequest(requestId))
          await book.put(quote)
          await book.lock(quote)
          await book.unlock(requestId, requestId, 'missed')
        }
      }
    })

    it('are in the order of `compareQuotes` for any prices, times, misses, ids, firm ones and makers that are demoted', async () => {
      await fc.assert(
        fc.asyncProperty(cases, async ({ kind, side, quotes }) => {
          requests += 1
          const requestId = `request-${requests}`
          const made = quotes.map(({ id, ...terms }, n) => {
            const { makerId, isDemoted } = MAKERS[n] as (typeof MAKERS)[0]
            return { ...terms, makerId, isDemoted, quoteId: `${id}-${requests}-${n}` }
          })
          const { trade } = side === 'buy' ? CALL_BUY : PUT_SELL
          const request = kind === 'package' ? aPackageRequest(requestId) : aRequest(requestId)
          await book.open({ ...request, trade }, { signing: null, quotedBy: made })
          const expected: RankedQuote[] = []
          for (const { makerId, quoteId, misses, isDemoted, isFirm, again, ...first } of made) {
            const terms = { requestId, quoteId, side, size: contracts(5n) }
            const quote = aQuote(makerId, { ...terms, ...first, price: usd6(BigInt(first.price)) })
            await book.put(quote)
            // The time of a price is that of its first quote.
            const isNewPrice = again !== null && again.price !== null && again.price !== first.price
            const price = usd6(BigInt(again?.price ?? first.price))
            if (again !== null) await book.put({ ...quote, price, pricedAt: again.pricedAt })
            const last = { ...quote, price, pricedAt: isNewPrice ? again.pricedAt : first.pricedAt }
            if (isFirm) expect(await book.makeFirm(last, FIRM_SIGNATURE)).toBe('firm')
            expected.push({ ...last, misses, isDemoted, ...(isFirm ? { isFirm } : {}) })
          }
          expect(await book.ranked(requestId)).toEqual(expected.sort(compareQuotes))
          expect((await book.top(requestId))?.best?.quoteId).toBe(expected[0]?.quoteId)
          await book.close(requestId, 'cancelled')
        }),
      )
    })
  })
}
