/** An edit of the source that plants a fault, where `find` has one place in `file`. */
export type Edit = { file: string; find: string; replace: string }

/**
 * `breaks`: the rules by which it is found; `needs`: kinds of faults that each plan of the search has; `inPairs`: it is looked for in pairs of
 * stories that differ in the side of a commit.
 */
export type PlantedFault = {
  name: string
  breaks: string[]
  needs?: string[]
  inPairs?: boolean
  edits?: Edit[]
  planted?: { database?: object; market?: object }
}

export const PLANTED: readonly PlantedFault[]
