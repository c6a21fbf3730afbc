import type { AuditEntry } from '../../domain/audit.ts'
import { dollars, latency, plural, price, wordsOf } from '../format.ts'
import type { Style } from '../line.ts'
import type { Glyphs } from '../look.ts'

/** What happened, as a sentence without its time, in the style of how it went. */
export function happeningWords(entry: AuditEntry, glyphs: Glyphs): { words: string; style: Style | null } {
  const { good, bad, busy, lost, warning } = glyphs
  switch (entry.kind) {
    case 'opened': {
      const makers = plural(entry.makersConnected, 'maker')
      return { words: `${glyphs.live} a taker asks: ${wordsOf(entry.terms)}; ${makers} connected`, style: 'title' }
    }
    case 'quoted': {
      const { makerId, price: offered, size } = entry.quote
      return { words: `  ${makerId} ${entry.isRequote ? 'moves' : 'quotes'} ${price(offered)} x${size}`, style: null }
    }
    case 'quote_refused':
      return { words: `${bad} ${entry.makerId} is refused, ${entry.code}: ${entry.detail}`, style: 'bad' }
    case 'quote_withdrawn':
      return { words: `${lost} ${entry.makerId} withdraws its quote`, style: 'faint' }
    case 'quote_expired':
      return { words: `${lost} the quote of ${entry.makerId} expires`, style: 'faint' }
    case 'commit_started': {
      const { limitPrice, minContracts } = entry.terms
      const limits = [
        ...(limitPrice === null ? [] : [`limit ${price(limitPrice)}`]),
        ...(minContracts === null ? [] : [`at least ${minContracts}`]),
      ]
      return { words: `${busy} the taker commits${limits.length === 0 ? '' : `, ${limits.join(', ')}`}`, style: 'busy' }
    }
    case 'commit_refused':
      return { words: `${bad} the commit ends without a trade: ${entry.code}`, style: 'bad' }
    case 'passed_over':
      return { words: `${bad} ${entry.makerId} is passed over, ${entry.code}: ${entry.detail}`, style: 'bad' }
    case 'asked': {
      const { optionAmount, premiumAmount } = entry.order
      const words = `${busy} ${entry.makerId} is asked to sign ${optionAmount} for ${dollars(premiumAmount)}`
      return { words, style: 'busy' }
    }
    case 'signature_refused':
      return { words: `${warning} a signature of ${entry.makerId} is wrong; its deadline still applies`, style: 'bad' }
    case 'declined': {
      const reason = entry.reason === null ? '' : `: ${entry.reason}`
      return { words: `${bad} ${entry.makerId} declines after ${latency(entry.waitedMs)}${reason}`, style: 'bad' }
    }
    case 'missed':
      return { words: `${bad} ${entry.makerId} misses its deadline`, style: 'bad' }
    case 'confirmed':
      return { words: `${good} ${entry.makerId} signs after ${latency(entry.waitedMs)}`, style: 'good' }
    case 'closed':
      return {
        words: `${entry.status === 'committed' ? good : lost} the request closes: ${entry.status}${omittedWords(entry.omitted)}`,
        style: 'faint',
      }
  }
}

const omittedWords = (count = 0): string => (count === 0 ? '' : `; ${count} more of its entries were not kept`)
