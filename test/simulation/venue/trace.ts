/** A digest of everything that happened, in order: two runs that agree on it were the same. */
export type Trace = { note: (what: string, at: number) => void; digest: () => string }

const PRIME = 0x01000193
const OTHER_PRIME = 0x85ebca6b

/** Two running sums of 32 bits, since everything of a run passes through. */
export function createTrace(): Trace {
  let one = 0x811c9dc5
  let other = 0x9e3779b9
  return {
    note: (what, at) => {
      const time = Math.round(at * 1_000) | 0
      one = Math.imul(one ^ time, PRIME)
      for (let i = 0; i < what.length; i += 1) {
        one = Math.imul(one ^ what.charCodeAt(i), PRIME)
        other = Math.imul(other ^ (one >>> 7), OTHER_PRIME)
      }
    },
    digest: () => (one >>> 0).toString(16).padStart(8, '0') + (other >>> 0).toString(16).padStart(8, '0'),
  }
}
