import { optionText, usd } from '@rfqctl/lib/format'
import type { RequestTerms } from '@rfqctl/protocol/domain/request'

/** What a taker asks for, its budget as it is typed: "buy call 0.45 $100", "sell put 0.50 x100". */
export const termsText = ({ option, trade }: Pick<RequestTerms, 'option' | 'trade'>): string =>
  `${trade.side} ${optionText(option, 'column')} ${trade.side === 'buy' ? usd(trade.budget, 'column').replace(/\.00$/, '') : `x${trade.size}`}`

/** A market's question without the words that most begin with: where columns are few, what tells it from others comes first. */
export const marketText = (question: string | null): string =>
  question === null ? '-' : question.replace(/^Will (?:the |an? |(?=\p{Lu}))/u, '')
