import { age, countdown, duration, marketText, plural, shortId, termsText, usd } from '@rfqctl/lib/format'
import { type Line, line, span } from '../line.ts'
import { orderFor, type RequestView } from '../request-view.ts'
import { type Confirmation, confirmationRows, questionOf } from '../selectors.ts'
import { commandLine } from '../theme.ts'
import { outcomeText, waitShare } from './status.ts'
import { figure, type Scene, type TableView } from './view.ts'

/** Share of the signing time left, 0..1; null once the ask is over. */
const timeShare = ({ request, candidate }: Confirmation, { now }: Scene): number | null =>
  candidate.outcome === 'asked' ? waitShare(request, now) : null

export const CONFIRMATIONS = {
  columns: {
    request: { heading: 'REQUEST', cell: ({ request }) => span(shortId(request.requestId, 'column'), 'title') },
    maker: { heading: 'MAKER', cell: ({ candidate }) => candidate.makerId },
    outcome: { heading: 'OUTCOME', cell: ({ candidate }, { theme }) => outcomeText(candidate, theme.glyphs) },
    time: { heading: 'TIME', cell: timeText, share: timeShare },
    attempt: figure('TRY', ({ attempt }) => String(attempt)),
    for: { heading: 'FOR', cell: ({ request }) => orderText(request) },
    asks: { heading: 'ASKS', cell: ({ request }) => termsText(request.terms) },
    market: { heading: 'MARKET', cell: ({ request }, { market }) => marketText(questionOf(market, request.terms)) },
  },
  rowsOf: ({ market, filter }) => confirmationRows(market, filter),
  idOf: ({ id }) => id,
  empty: ({ theme, filter }) =>
    filter === ''
      ? ['No maker was asked to sign yet. A commit starts it:', { command: commandLine(theme, 'taker commit') }]
      : [`No confirmation matches "${filter}".`],
} as const satisfies TableView<Confirmation>

export const waitsTitle = (waits: readonly number[]): string =>
  `time to sign, of the newest ${plural(waits.length, 'confirmation')}`

function timeText({ request: { waiting }, candidate }: Confirmation, { now, theme }: Scene): Line {
  if (candidate.outcome !== 'asked' || waiting === null) return line(span(`${age(now - candidate.at)} ago`, 'faint'))
  const left = countdown(waiting.deadline - now)
  if (theme.medium === 'speech') return line(`${left} left of ${duration(waiting.deadline - waiting.askedAt)}`)
  return line(span(`${left} left`, 'busy'))
}

function orderText(request: RequestView): string {
  const order = orderFor(request)
  return order === null ? termsText(request.terms) : `${order.optionAmount} for ${usd(order.premiumAmount, 'column')}`
}
