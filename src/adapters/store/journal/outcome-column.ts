/**
 * Outcomes in the order in which they were noted, which is that of their times, as columns: in each an entry is a number of eight bytes, where an object
 * with its quoteId took 200. A `mark` is a digest of the quoteId, enough to find it by.
 */
export type OutcomeColumn<Place> = { ats: number[]; marks: number[]; places: Place[] }

/** One entry of a column. */
export type Found<Place> = { at: number; mark: number; place: Place }

/** A column without entries. */
export const newColumn = <Place>(): OutcomeColumn<Place> => ({ ats: [], marks: [], places: [] })

/** Adds the newest entry. A clock that went back does not put it before others, so that a column can be searched by time. */
export function noteInColumn<Place>(
  { ats, marks, places }: OutcomeColumn<Place>,
  { at, mark, place }: Found<Place>,
): void {
  ats.push(Math.max(at, ats.at(-1) ?? at))
  marks.push(mark)
  places.push(place)
}

/** The index of the first entry that was noted at a moment or later; the length of the column where there is none. */
export function indexFrom({ ats }: Pick<OutcomeColumn<unknown>, 'ats'>, at: number): number {
  let [low, high] = [0, ats.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ats[middle] as number) < at) low = middle + 1
    else high = middle
  }
  return low
}

/** What was noted from a moment on; the same column where that is all of it. */
export function columnSince<Place>(column: OutcomeColumn<Place>, from: number): OutcomeColumn<Place> {
  const start = indexFrom(column, from)
  if (start === 0) return column
  const { ats, marks, places } = column
  return { ats: ats.slice(start), marks: marks.slice(start), places: places.slice(start) }
}

/** A whole number of 30 bits, which the engine keeps in place. */
const MARK_BITS = 0x3fffffff

/** The mark of a quoteId. */
export function markOf(quoteId: string): number {
  let mark = 0
  for (let i = 0; i < quoteId.length; i += 1) mark = (Math.imul(mark, 31) + quoteId.charCodeAt(i)) & MARK_BITS
  return mark
}
