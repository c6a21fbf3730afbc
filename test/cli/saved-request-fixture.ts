import type { SavedRequest } from '../../src/cli/context/saved-requests.ts'
import { usd6 } from '../../src/client/index.ts'
import type { StrikeBps } from '../../src/protocol/domain/units.ts'

/** A saved request to buy for $100, that is not committed. */
export const savedRequestOf = (requestId: string, createdAt: number): SavedRequest => ({
  createdAt,
  account: 'taker-1',
  request: {
    requestId,
    takerSecret: 'secret',
    seriesId: '1',
    seriesListed: true,
    makersConnected: 1,
    expiresAt: createdAt + 300_000,
    terms: {
      wallet: null,
      market: { conditionId: `0x${'1'.repeat(64)}`, yesTokenId: '1', question: null },
      option: { optionType: 'call', strikeBps: 4_500 as StrikeBps, expiryMs: 1 },
      trade: { side: 'buy', budget: usd6(100_000_000n) },
    },
  },
  commitment: null,
  fillHash: null,
})
