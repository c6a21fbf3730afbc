import type { RequestTerms } from '@rfqctl/protocol/domain/request'
import { uuidOf } from '@rfqctl/protocol/domain/uuid'
import type { Ids } from './ports/runtime.ts'

/** What a taker opens a request with. */
type Opening = RequestTerms & { locked: boolean }

/**
 * Id and secret of a request that its client names: both follow from what the client sends, so that a repeat is answered with the same
 * ones on any node and after any restart, and nothing more is kept. The id follows from the client's alone, the secret from the terms
 * too: a request of this id with another secret was opened with other terms.
 */
export function identifyRequest(
  { digest }: Pick<Ids, 'digest'>,
  { clientRequestId, opening }: { clientRequestId: string; opening: Opening },
): { requestId: string; takerSecret: string } {
  return {
    requestId: uuidOf(digest(`request ${clientRequestId}`)),
    takerSecret: digest(`taker secret ${clientRequestId} ${termsText(opening)}`),
  }
}

/** The terms of a request as one text, whatever else comes with them. */
const termsText = ({ wallet, market, option, trade, firmOnly, inventory, locked }: Opening): string => {
  const { conditionId, yesTokenId, question } = market
  const terms = [
    wallet,
    conditionId,
    yesTokenId,
    question,
    option,
    trade,
    firmOnly === true,
    inventory === true,
    locked,
  ]
  return JSON.stringify(terms, (_name, value) => (typeof value === 'bigint' ? String(value) : value))
}
