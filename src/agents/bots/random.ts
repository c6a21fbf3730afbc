/** Repeatable numbers, uniform in [0, 1). */
export type Random = () => number

/**
 * The mulberry32 generator: 32 bits of state, the same numbers for the same seed on every machine. For simulations only.
 * @see T. Ettinger, "Mulberry32", public domain
 */
export function createRandom(seed: number): Random {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A seed of its own for each named member of a run, by the FNV-1a hash of the run's seed and the name. */
export function deriveSeed(seed: number, name: string): number {
  let hash = 0x811c9dc5
  for (const character of `${seed}/${name}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) as number), 0x01000193)
  }
  return hash | 0
}

/** Uniform in [min, max). */
export const between = (random: Random, { min, max }: { min: number; max: number }): number =>
  min + random() * (max - min)
