import type { Target } from './target.ts'

/** Something that a hostile client does, with what must hold against it. */
export type Attack = {
  /** What holds, as a sentence. */
  holds: string
  /** Whether it once got through. Others were tried beside it, and never did. */
  known?: boolean
  /** What it needs of a relay, if anything. */
  needs?: 'chain' | 'no chain'
  /** Whether it aims at what a relay keeps, and so is tried on every store; else one relay shows it. */
  aimsAtStore?: boolean
  /** Whether it takes a moment only, disturbs no other, and so is tried with every change. */
  isQuick?: boolean
  /** Makes the attack, and fails where something does not hold. */
  run: (target: Target) => Promise<void>
}
