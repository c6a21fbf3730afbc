/**
 * Outcomes in the order in which they were noted, as columns: in each an entry is a number of eight bytes, where an object
 * with its quoteId took 200. A `mark` is a digest of the quoteId, enough to find it by.
 */
export type OutcomeColumn<Place> = { ats: number[]; marks: number[]; places: Place[] }

/** One entry of a column. */
export type Found<Place> = { at: number; mark: number; place: Place }

/** A column without entries. */
export const newColumn = <Place>(): OutcomeColumn<Place> => ({ ats: [], marks: [], places: [] })

/** Adds the newest entry. */
export function noteInColumn<Place>(
  { ats, marks, places }: OutcomeColumn<Place>,
  { at, mark, place }: Found<Place>,
): void {
  ats.push(at)
  marks.push(mark)
  places.push(place)
}

/** The entries of a column, oldest first. */
export const columnEntries = <Place>({ ats, marks, places }: OutcomeColumn<Place>): Found<Place>[] =>
  places.map((place, i) => ({ at: ats[i] as number, mark: marks[i] as number, place }))

/** What was noted from a moment on; the same column where that is all of it. */
export function columnSince<Place>(column: OutcomeColumn<Place>, from: number): OutcomeColumn<Place> {
  const start = column.ats.findIndex((at) => at >= from)
  if (start === 0 || column.ats.length === 0) return column
  if (start === -1) return newColumn()
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
