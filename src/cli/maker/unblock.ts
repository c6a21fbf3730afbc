import { decideBlock } from './decide-block.ts'

/** Lets a maker in again. */
export const run = decideBlock(false)
