/** An event loop whose turns the test ends, and whose time is what the work in it took. */
export function createTurns() {
  let at = 0
  let coming: (() => void)[] = []
  return {
    turns: { now: () => at, afterThisTurn: (work: () => void) => void coming.push(work) },
    take: (ms: number) => {
      at += ms
    },
    /** How much is to begin when this turn is over. */
    coming: () => coming.length,
    endTurn: () => {
      const due = coming
      coming = []
      for (const work of due) work()
    },
  }
}
