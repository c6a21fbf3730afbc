import type { RequestTerms } from '@rfqctl/protocol/domain/request'
import { requestIdOf } from '@rfqctl/protocol/domain/uuid'
import type { Ids } from './ports/runtime.ts'

type Opening = RequestTerms & { locked: boolean }

/**
 * Derives both from the client's input, so that a repeat gets the same ones on any node and after any restart, and
 * nothing more is kept. The id depends on the client's id alone, the secret on the terms too: the same id with another
 * secret means other terms.
 */
export function identifyRequest(
  { digest }: Pick<Ids, 'digest'>,
  { clientRequestId, opening }: { clientRequestId: string; opening: Opening },
): { requestId: string; takerSecret: string } {
  return {
    requestId: requestIdOf(clientRequestId),
    takerSecret: digest(`taker secret ${clientRequestId} ${termsText(opening)}`),
  }
}

const termsText = ({
  wallet,
  market,
  option,
  trade,
  firmOnly,
  inventory,
  audience,
  blindWallet,
  standing,
  locked,
}: Opening): string => {
  const { conditionId, yesTokenId, question } = market
  const kinds = [firmOnly === true, inventory === true, locked]
  const hidden = audience === undefined && blindWallet === undefined ? [] : [audience ?? null, blindWallet ?? null]
  // A wallet may sign the same commit in two ways: only whether it is proven is part of the terms.
  const limits =
    standing === undefined
      ? []
      : [standing.limitPrice, standing.minContracts, standing.proof !== undefined, standing.side ?? null]
  const terms = [wallet, conditionId, yesTokenId, question, option, trade, ...kinds, ...hidden, ...limits]
  return JSON.stringify(terms, (_name, value) => (typeof value === 'bigint' ? String(value) : value))
}
