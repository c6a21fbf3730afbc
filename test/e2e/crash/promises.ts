/** What a relay has answered with 200, and must therefore know after it was killed (invariant V10). */
export type Promises = {
  opened: Set<string>
  cancelled: Set<string>
  /** The wallet and the answer of each commit, by requestId, and the quote that lost. */
  committed: Map<string, { wallet: string; text: string; loser: string }>
  confirmed: { quoteId: string; signature: string }[]
  keys: { secret: string; isRevoked: boolean }[]
  /** The highest id that a maker's stream has carried. */
  highestId: number
  /** Counts a promise that was kept in mind. */
  made: () => void
}

/** No promise yet; `onCount` hears how many there are whenever there is one more. */
export function createPromises(onCount: (count: number) => void): Promises {
  let count = 0
  return {
    opened: new Set(),
    cancelled: new Set(),
    committed: new Map(),
    confirmed: [],
    keys: [],
    highestId: 0,
    made: () => {
      count += 1
      onCount(count)
    },
  }
}
