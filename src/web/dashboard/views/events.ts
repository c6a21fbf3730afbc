import { clockTime, latency, plural, priceText, shortId, termsText, usd } from '@rfqctl/lib/format'
import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import { type Span, span } from '../line.ts'
import type { MarketEvent } from '../market.ts'
import { eventRows } from '../selectors.ts'
import type { Glyphs } from '../theme.ts'
import type { TableView } from './view.ts'

export const EVENTS = {
  columns: {
    utc: { heading: 'UTC', cell: ({ entry }) => span(clockTime(entry.at), 'faint') },
    request: { heading: 'REQUEST', cell: ({ entry }) => span(shortId(entry.requestId, 'column'), 'title') },
    what: { heading: 'WHAT', cell: ({ entry }, { theme }) => eventText(entry, theme.glyphs) },
  },
  rowsOf: ({ market, filter }) => eventRows(market, filter),
  idOf: ({ id }) => String(id),
  empty: ({ filter }) =>
    filter === ''
      ? ['No event yet.', 'Every request, quote, refusal, commit and confirmation appears here.']
      : [`No event matches "${filter}".`],
} as const satisfies TableView<MarketEvent>

export function eventText(entry: AuditEntry, glyphs: Glyphs): Span {
  const { good, bad, busy, lost, warning } = glyphs
  switch (entry.kind) {
    case 'opened': {
      const makers = plural(entry.makersConnected, 'maker')
      return span(`${glyphs.live} a taker asks: ${termsText(entry.terms)}; ${makers} connected`, 'title')
    }
    case 'reopened':
      return span(`${lost} the relay started again, without the quotes that were live`, 'faint')
    case 'quoted': {
      const { makerId, price, otherPrice, size } = entry.quote
      const prices = otherPrice === undefined ? priceText(price) : `${priceText(otherPrice)} / ${priceText(price)}`
      return span(`  ${makerId} ${entry.isRequote ? 'moves' : 'quotes'} ${prices} x${size}`, null)
    }
    case 'quote_refused':
      return span(`${bad} ${entry.makerId} is refused, ${entry.code}: ${entry.detail}`, 'bad')
    case 'quote_withdrawn':
      return span(`${lost} ${entry.makerId} withdraws its quote`, 'faint')
    case 'quote_expired':
      return span(`${lost} the quote of ${entry.makerId} expires`, 'faint')
    case 'quote_dropped':
      return span(`${lost} the quote of ${entry.makerId} is dropped: the relay has no room for more`, 'faint')
    case 'quote_absent':
      return span(`${lost} the quote of ${entry.makerId} is no longer there for the commit`, 'faint')
    case 'commit_started': {
      const { side, limitPrice, minContracts } = entry.terms
      const limits = [
        ...(limitPrice === null ? [] : [`limit ${priceText(limitPrice)}`]),
        ...(minContracts === null ? [] : [`at least ${minContracts}`]),
      ]
      return span(
        `${busy} the taker commits${side === undefined ? '' : ` to ${side}`}${limits.length === 0 ? '' : `, ${limits.join(', ')}`}`,
        'busy',
      )
    }
    case 'commit_refused':
      return span(`${bad} the commit ends without a trade: ${entry.code}`, 'bad')
    case 'ranked': {
      const best = entry.quotes[0]
      const quotes = plural(entry.quotes.length, 'quote')
      return span(
        best === undefined
          ? `${busy} the commit finds no quote`
          : `${busy} the commit looks at ${quotes}; ${best.makerId} is first with ${priceText(best.price)}`,
        'busy',
      )
    }
    case 'passed_over':
      return span(`${bad} ${entry.makerId} is passed over, ${entry.code}: ${entry.detail}`, 'bad')
    case 'asked': {
      const { optionAmount, premiumAmount } = entry.order
      return span(`${busy} ${entry.makerId} is asked to sign ${optionAmount} for ${usd(premiumAmount)}`, 'busy')
    }
    case 'signature_refused':
      return span(`${warning} a signature of ${entry.makerId} is wrong; its deadline still applies`, 'bad')
    case 'declined': {
      const reason = entry.reason === null ? '' : `: ${entry.reason}`
      return span(`${bad} ${entry.makerId} declines after ${latency(entry.waitedMs)}${reason}`, 'bad')
    }
    case 'missed':
      return span(`${bad} ${entry.makerId} misses its deadline`, 'bad')
    case 'quote_sealed':
      return span(`  ${entry.makerId} makes its quote firm`, null)
    case 'confirmed':
      if (entry.order !== undefined) {
        const { optionAmount, premiumAmount } = entry.order
        const text = `${good} the firm quote of ${entry.makerId} is taken: ${optionAmount} for ${usd(premiumAmount)}`
        return span(text, 'good')
      }
      return span(`${good} ${entry.makerId} signs after ${latency(entry.waitedMs)}`, 'good')
    case 'order_filled':
      return span(`${good} the order of ${entry.makerId} is filled in block ${entry.blockNumber}`, 'good')
    case 'order_cancelled':
      return span(`${bad} ${entry.makerId} cancels its order in block ${entry.blockNumber}`, 'bad')
    case 'order_expired':
      return span(`${lost} the order of ${entry.makerId} expires unfilled`, 'faint')
    case 'order_defunded': {
      const what = entry.code === 'maker_insufficient_balance' ? 'money' : 'allowance'
      return span(`${bad} ${entry.makerId} takes away the ${what} of its order by block ${entry.blockNumber}`, 'bad')
    }
    case 'closed':
      return span(
        `${entry.status === 'committed' ? good : lost} the request closes: ${entry.isDisplaced === true ? 'displaced' : entry.status}${omittedText(entry.omitted)}`,
        'faint',
      )
  }
}

const omittedText = (count = 0): string => (count === 0 ? '' : `; ${count} more of its entries were not kept`)
