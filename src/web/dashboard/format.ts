import { optionText, usd } from '@rfqctl/lib/format'
import type { RequestTerms } from '@rfqctl/protocol/domain/request'

/** The taker's terms, a budget as typed: "buy call 0.45 $100", "sell put 0.50 x100". */
export const termsText = ({ option, trade }: Pick<RequestTerms, 'option' | 'trade'>): string =>
  `${trade.side} ${optionText(option, 'column')} ${trade.side === 'buy' ? usd(trade.budget, 'column').replace(/\.00$/, '') : `x${trade.size}`}`

/** A market's question without its common first words: narrow columns need the distinctive ones first. */
export const marketText = (question: string | null): string =>
  question === null ? '-' : question.replace(/^Will (?:the |an? |(?=\p{Lu}))/u, '')
