/** A state of the gallery in a wide window or on a telephone. */
export type Shot = { state: string; width: 1_280 | 390 }

/** One state of each arrangement of the pages: other states differ by words, which other tests read. */
export const SHOTS: readonly Shot[] = [
  { state: 'trade-connecting', width: 1_280 },
  { state: 'trade-lost', width: 1_280 },
  { state: 'trade-empty-wallet', width: 1_280 },
  { state: 'trade-ready', width: 1_280 },
  { state: 'trade-ready', width: 390 },
  { state: 'trade-new-package-chosen', width: 1_280 },
  { state: 'trade-a-market-that-is-known', width: 1_280 },
  { state: 'trade-a-market-that-is-known', width: 390 },
  { state: 'trade-five-hundred-markets', width: 1_280 },
  { state: 'trade-quotes-racing', width: 1_280 },
  { state: 'trade-quotes-racing', width: 390 },
  { state: 'trade-waiting-for-the-maker', width: 1_280 },
  { state: 'trade-filled-its-price-checked', width: 1_280 },
  { state: 'trade-positions-open', width: 1_280 },
  { state: 'trade-position-in-its-window', width: 390 },
  { state: 'operate-sign-in', width: 1_280 },
  { state: 'operate-requests', width: 1_280 },
  { state: 'operate-requests', width: 390 },
  { state: 'operate-makers', width: 1_280 },
  { state: 'operate-settlement', width: 1_280 },
  { state: 'operate-health', width: 1_280 },
  { state: 'operate-a-committed-request', width: 1_280 },
  { state: 'operate-help', width: 390 },
]
