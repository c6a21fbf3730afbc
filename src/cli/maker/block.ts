import { decideBlock } from './decide-block.ts'

/** Shuts a maker out of the relay. */
export const run = decideBlock(true)
