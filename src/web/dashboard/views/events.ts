import { clockTime, latency, plural, priceText, shortId, usd } from '@rfqctl/lib/format'
import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import { termsText } from '../format.ts'
import { type Style, span } from '../line.ts'
import type { MarketEvent } from '../market.ts'
import { eventRows } from '../selectors.ts'
import type { Glyphs } from '../theme.ts'
import type { TableView } from './view.ts'

export const EVENTS = {
  columns: {
    utc: { heading: 'UTC', cell: ({ entry }) => span(clockTime(entry.at), 'faint') },
    request: { heading: 'REQUEST', cell: ({ entry }) => span(shortId(entry.requestId, 'column'), 'title') },
    what: {
      heading: 'WHAT',
      cell: ({ entry }, { theme }) => {
        const { text, style } = eventText(entry, theme.glyphs)
        return span(text, style)
      },
    },
  },
  rowsOf: ({ market, filter }) => eventRows(market, filter),
  idOf: ({ id }) => String(id),
  empty: ({ filter }) =>
    filter === ''
      ? ['No event yet.', 'Every request, quote, refusal, commit and confirmation appears here.']
      : [`No event matches "${filter}".`],
} as const satisfies TableView<MarketEvent>

export function eventText(entry: AuditEntry, glyphs: Glyphs): { text: string; style: Style | null } {
  const { good, bad, busy, lost, warning } = glyphs
  switch (entry.kind) {
    case 'opened': {
      const makers = plural(entry.makersConnected, 'maker')
      return { text: `${glyphs.live} a taker asks: ${termsText(entry.terms)}; ${makers} connected`, style: 'title' }
    }
    case 'quoted': {
      const { makerId, price, size } = entry.quote
      return { text: `  ${makerId} ${entry.isRequote ? 'moves' : 'quotes'} ${priceText(price)} x${size}`, style: null }
    }
    case 'quote_refused':
      return { text: `${bad} ${entry.makerId} is refused, ${entry.code}: ${entry.detail}`, style: 'bad' }
    case 'quote_withdrawn':
      return { text: `${lost} ${entry.makerId} withdraws its quote`, style: 'faint' }
    case 'quote_expired':
      return { text: `${lost} the quote of ${entry.makerId} expires`, style: 'faint' }
    case 'quote_dropped':
      return {
        text: `${lost} the quote of ${entry.makerId} is dropped: the relay has no room for more`,
        style: 'faint',
      }
    case 'commit_started': {
      const { limitPrice, minContracts } = entry.terms
      const limits = [
        ...(limitPrice === null ? [] : [`limit ${priceText(limitPrice)}`]),
        ...(minContracts === null ? [] : [`at least ${minContracts}`]),
      ]
      return { text: `${busy} the taker commits${limits.length === 0 ? '' : `, ${limits.join(', ')}`}`, style: 'busy' }
    }
    case 'commit_refused':
      return { text: `${bad} the commit ends without a trade: ${entry.code}`, style: 'bad' }
    case 'passed_over':
      return { text: `${bad} ${entry.makerId} is passed over, ${entry.code}: ${entry.detail}`, style: 'bad' }
    case 'asked': {
      const { optionAmount, premiumAmount } = entry.order
      const text = `${busy} ${entry.makerId} is asked to sign ${optionAmount} for ${usd(premiumAmount)}`
      return { text, style: 'busy' }
    }
    case 'signature_refused':
      return { text: `${warning} a signature of ${entry.makerId} is wrong; its deadline still applies`, style: 'bad' }
    case 'declined': {
      const reason = entry.reason === null ? '' : `: ${entry.reason}`
      return { text: `${bad} ${entry.makerId} declines after ${latency(entry.waitedMs)}${reason}`, style: 'bad' }
    }
    case 'missed':
      return { text: `${bad} ${entry.makerId} misses its deadline`, style: 'bad' }
    case 'quote_sealed':
      return { text: `  ${entry.makerId} makes its quote firm`, style: null }
    case 'confirmed':
      if (entry.order !== undefined) {
        const { optionAmount, premiumAmount } = entry.order
        const text = `${good} the firm quote of ${entry.makerId} is taken: ${optionAmount} for ${usd(premiumAmount)}`
        return { text, style: 'good' }
      }
      return { text: `${good} ${entry.makerId} signs after ${latency(entry.waitedMs)}`, style: 'good' }
    case 'order_filled':
      return { text: `${good} the order of ${entry.makerId} is filled in block ${entry.blockNumber}`, style: 'good' }
    case 'order_cancelled':
      return { text: `${bad} ${entry.makerId} cancels its order in block ${entry.blockNumber}`, style: 'bad' }
    case 'order_expired':
      return { text: `${lost} the order of ${entry.makerId} expires unfilled`, style: 'faint' }
    case 'order_defunded': {
      const what = entry.code === 'maker_insufficient_balance' ? 'money' : 'allowance'
      return {
        text: `${bad} ${entry.makerId} takes away the ${what} of its order by block ${entry.blockNumber}`,
        style: 'bad',
      }
    }
    case 'closed':
      return {
        text: `${entry.status === 'committed' ? good : lost} the request closes: ${entry.isDisplaced === true ? 'displaced' : entry.status}${omittedText(entry.omitted)}`,
        style: 'faint',
      }
  }
}

const omittedText = (count = 0): string => (count === 0 ? '' : `; ${count} more of its entries were not kept`)
