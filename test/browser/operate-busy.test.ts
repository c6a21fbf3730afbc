import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AuditEntry } from '../../src/protocol/domain/audit.ts'
import type { SeriesId } from '../../src/protocol/domain/series.ts'
import { contracts, type StrikeBps, usd6 } from '../../src/protocol/domain/units.ts'
import { buildWhenStale } from '../kit/build.ts'
import { CHROMIUM, CHROMIUM_HINT, useBrowser } from './support/chromium.ts'
import { type OperatorFeed, startOperatorFeed } from './support/operator-feed.ts'

const EVENTS_PER_SECOND = 500

/** Ten seconds of events: of each request its opening, and a quote of each maker. No more requests than one table draws. */
const REQUESTS = 25
const MAKERS = 199

/** A stranger's words: if they became markup, they would show. */
const QUESTION = '<img src=x onerror="document.title=1"><b>Rain</b>?'

const LATER = Date.now() + 3_600_000
const idOf = (number: number) => `${(0x10000000 + number).toString(16)}-0000-4000-8000-000000000000`
const requests = Array.from({ length: REQUESTS }, (_, number) => idOf(number))

describe.skipIf(CHROMIUM === null)(`the operator's page of a busy relay${CHROMIUM_HINT}`, () => {
  const browser = useBrowser()
  let feed: OperatorFeed

  beforeAll(async () => {
    await buildWhenStale()
    feed = await startOperatorFeed()
  })
  afterAll(() => feed?.close())

  test('loses none of 500 events a second', { timeout: 180_000 }, async () => {
    const { page, faults } = await browser.open({ width: 1_440 })
    await page.goto(`${feed.url}/desk#token=any`)
    await page.getByText('● live').waitFor()
    await feed.tell(entries(), EVENTS_PER_SECOND)

    // Every event leaves a trace: each request is in the table, and counts a quote of each maker.
    const column = (name: string) => page.locator(`.ops-table tbody [data-column="${name}"]`).allTextContents()
    const all = (text: string) => Array.from({ length: REQUESTS }, () => text)
    await expect.poll(() => column('quotes'), { interval: 500 }).toEqual(all(String(MAKERS)))
    expect((await column('request')).toSorted()).toEqual(requests.map((id) => id.slice(0, 8)))
    expect(await column('best')).toEqual(all((priceOf(MAKERS) / 1e6).toFixed(4)))
    expect(await column('market')).toEqual(all(QUESTION))

    await page.keyboard.press('5')
    const newest = page.locator('.ops-table tbody tr').first()
    await newest.getByText(`maker-${MAKERS} quotes`).waitFor()
    expect(await newest.textContent()).toContain(requests.at(-1)?.slice(0, 8))

    expect(await page.locator('main :is(b, img, script)').count()).toBe(0)
    expect(faults).toEqual([])
  })
})

/** What happens: all requests open, then each maker quotes on each of them, for less than the one before. */
const entries = (): AuditEntry[] => [
  ...requests.map(opened),
  ...Array.from({ length: MAKERS }, (_, i) => requests.map((requestId) => quoted(requestId, i + 1))).flat(),
]

const opened = (requestId: string): AuditEntry => ({
  kind: 'opened',
  at: Date.now(),
  requestId,
  terms: {
    wallet: null,
    market: { conditionId: `0x${'11'.repeat(32)}`, yesTokenId: '123', question: QUESTION },
    option: { optionType: 'call', strikeBps: 4_500 as StrikeBps, expiryMs: LATER },
    trade: { side: 'buy', budget: usd6(100_000_000n) },
  },
  seriesId: '77' as SeriesId,
  expiresAt: LATER,
  makersConnected: MAKERS,
})

/** Micro-dollars. */
const priceOf = (maker: number): number => 500_000 - maker * 1_000

const quoted = (requestId: string, maker: number): AuditEntry => ({
  kind: 'quoted',
  at: Date.now(),
  requestId,
  quote: {
    quoteId: `${requestId}-${maker}`,
    requestId,
    makerId: `maker-${maker}`,
    maker: `0x${'7'.repeat(40)}`,
    side: 'buy',
    price: usd6(BigInt(priceOf(maker))),
    size: contracts(1_000n),
    pricedAt: Date.now(),
    expiresAt: LATER,
  },
  isRequote: false,
})
