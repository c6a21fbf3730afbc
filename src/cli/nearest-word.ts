/** Missing, extra, wrong or swapped letters. */
const MOST_SLIPS = 2

/** Null where no word is near. */
export function nearestWord(typed: string, words: Iterable<string>): string | null {
  const near = [...words].map((word) => ({ word, slips: slipsBetween(typed, word) }))
  const [best] = near.toSorted((a, b) => a.slips - b.slips)
  return best !== undefined && best.slips <= MOST_SLIPS ? best.word : null
}

/** Optimal string alignment distance. */
function slipsBetween(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const at = (cells: readonly number[], column: number) => cells[column] ?? Number.POSITIVE_INFINITY
      const changed = at(last, j - 1) + Number(a[i - 1] !== b[j - 1])
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY
      row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, changed, swapped))
    }
    ;[before, last] = [last, row]
  }
  return last[b.length] ?? 0
}
