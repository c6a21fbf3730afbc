/** A source of draws. The same names always give the same draws, so that one draw more or less elsewhere changes nothing here. */
export type Random = {
  /** At least 0, below 1. */
  fraction: () => number
  /** A whole number from 0 on, below the bound. */
  below: (bound: number) => number
  /** A number between two bounds. */
  between: (low: number, high: number) => number
  chance: (probability: number) => boolean
  pick: <T>(list: readonly T[]) => T
  /** A source of its own. */
  fork: (name: string) => Random
}

/** Draws by the generator sfc32. */
export function createRandom(name: string): Random {
  const state = seedOf(name)
  const next = (): number => {
    const [a, b, c, count] = state as unknown as [number, number, number, number]
    const sum = (((a + b) | 0) + count) | 0
    state[3] = (count + 1) | 0
    state[0] = b ^ (b >>> 9)
    state[1] = (c + (c << 3)) | 0
    state[2] = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 2 ** 32
  }
  for (let round = 0; round < 12; round += 1) next()
  return {
    fraction: next,
    below: (bound) => Math.floor(next() * bound),
    between: (low, high) => low + next() * (high - low),
    chance: (probability) => next() < probability,
    pick: (list) => list[Math.floor(next() * list.length)] as (typeof list)[number],
    fork: (inner) => createRandom(`${name}/${inner}`),
  }
}

/** Four words of a text, by FNV with four starting points. */
function seedOf(text: string): Int32Array {
  const words = new Int32Array([0x811c9dc5, 0x01000193, 0x9e3779b9, 0x85ebca6b])
  for (let i = 0; i < text.length; i += 1)
    for (let word = 0; word < 4; word += 1)
      words[word] = Math.imul((words[word] as number) ^ (text.charCodeAt(i) + word), 0x01000193)
  return words
}
