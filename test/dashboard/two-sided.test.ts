import { describe, expect, it } from 'vitest'
import type { AuditFact } from '../../src/protocol/domain/audit.ts'
import { plainText } from '../../src/web/dashboard/line.ts'
import { selectedRequest } from '../../src/web/dashboard/selectors.ts'
import { type DashboardState, reduce } from '../../src/web/dashboard/state.ts'
import { PAGE, UNICODE } from '../../src/web/dashboard/theme.ts'
import { eventText } from '../../src/web/dashboard/views/events.ts'
import { BOOK, requestDetail } from '../../src/web/dashboard/views/request-detail.ts'
import { REQUESTS } from '../../src/web/dashboard/views/requests.ts'
import { statusSentence } from '../../src/web/dashboard/views/status.ts'
import { cellLine, sceneOf } from '../../src/web/dashboard/views/view.ts'
import { BOTH_SIDES, connected, happened, idOf, NOON, quotedBoth, SOLD } from './scene.ts'

const chosen = (events: Parameters<typeof connected>[0]): DashboardState =>
  reduce(connected(events), { kind: 'select', id: idOf(2) })

const requestIn = (state: DashboardState) => {
  const request = selectedRequest(state)
  if (request === null) throw new Error('no request is chosen')
  return request
}

describe('a request for both sides on the page', () => {
  const state = chosen(BOTH_SIDES)
  const scene = sceneOf(state, PAGE)
  const request = requestIn(state)

  it('reads "both", and its quotes as bid × ask, the better ones set off', () => {
    expect(REQUESTS.columns.asks.cell(request)).toBe('both call 0.46 x50')
    expect(plainText(cellLine(REQUESTS.columns.best.cell(request, scene)))).toBe('0.1250 × 0.1500')
    const cells = requestDetail(request, scene).book.map((quote) => cellLine(BOOK.price.cell(quote, scene)))
    expect(cells.map(plainText)).toEqual(['0.1200 × 0.1500', '0.1250 × 0.1510', '0.1180 × 0.1560'])
    expect(cells.map((spans) => spans.filter(({ style }) => style === 'strong').map(({ text }) => text))).toEqual([
      ['0.1500'],
      ['0.1250'],
      [],
    ])
  })

  it('has no premium before its side is known', () => {
    const [best] = requestDetail(request, scene).book
    expect(REQUESTS.columns.premium.cell(request, scene)).toMatchObject({ text: '-' })
    expect(best && BOOK.premium.cell(best, scene)).toMatchObject({ text: '-' })
    const sold = chosen(SOLD)
    expect(REQUESTS.columns.premium.cell(requestIn(sold), sceneOf(sold, PAGE))).toMatchObject({ text: '$6.25' })
  })
})

describe('events of a request for both sides', () => {
  const words = (fact: AuditFact) => eventText({ at: 1, requestId: 'r', ...fact }, UNICODE).text

  it('name bid and ask of a quote, and the side of a commit', () => {
    const quoted = quotedBoth(2, 1, { makerId: 'ada', bid: 120_000n, ask: 150_000n })
    expect(quoted.kind === 'happened' && eventText(quoted.entry, UNICODE).text).toBe(
      '  ada quotes $0.1200 / $0.1500 x1000',
    )
    const terms = { wallet: '0x', limitPrice: null, minContracts: null, expectedQuoteId: null } as const
    expect(words({ kind: 'commit_started', terms: { ...terms, side: 'sell' } })).toContain('the taker commits to sell')
    expect(words({ kind: 'commit_started', terms })).toMatch(/the taker commits$/)
  })

  it('lead to a status that names the sale', () => {
    const told = (...more: ReturnType<typeof happened>[]) =>
      plainText(statusSentence(requestIn(chosen([...SOLD, ...more])), NOON, PAGE))
    expect(told()).toContain('waits for maker-2 to sign the sale: ')
    expect(told(happened(2, 1_000, { kind: 'missed', makerId: 'maker-2', quoteId: 'maker-2-2' }))).toContain(
      'the taker has committed to sell: choosing a maker',
    )
    const confirmed = { kind: 'confirmed', makerId: 'maker-2', quoteId: 'maker-2-2', executionId: 'e' } as const
    const signed = happened(2, 900, { ...confirmed, waitedMs: 9 })
    expect(told(signed, happened(2, 900, { kind: 'closed', status: 'committed' }))).toContain(
      'committed to sell: maker-2 signed',
    )
  })
})
