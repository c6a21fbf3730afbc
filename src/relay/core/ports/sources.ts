import type { FinalOutcome } from '@rfqctl/protocol/domain/resolution'
import type { PricePoint } from '@rfqctl/protocol/domain/twap'
import type { Hex } from '@rfqctl/protocol/domain/units'

/** Price histories. Fails with `price_source_unavailable`; an empty list is a good answer. */
export type PriceSource = {
  /** Points of the YES token with from <= t <= to, Unix seconds. */
  history: (yesTokenId: string, from: number, to: number) => Promise<readonly PricePoint[]>
}

/** A source of market data beside the chain. Fails with `price_source_unavailable`. */
export type MarketSource = {
  question: (conditionId: Hex) => Promise<string | null>
  /** The final outcome, or null while the market is open, disputed or not binary. */
  outcome: (conditionId: Hex, yesTokenId: string) => Promise<FinalOutcome | null>
}

/** Finds the subject of an access token. */
export type Identity = {
  /**
   * The subject of a token. Refuses with `invalid_access_token`, and with `identity_unavailable` when the provider cannot
   * be asked.
   */
  verify: (accessToken: string) => Promise<{ idpDid: string }>
}
