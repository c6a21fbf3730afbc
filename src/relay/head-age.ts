import type { ChainHead } from './ports/chain.ts'

/** How old the last block of a chain is, milliseconds at `now`; a chain whose time was moved ahead has a young head. */
export const headAgeMs = ({ time }: ChainHead, now: number): number => Math.max(0, now - time * 1_000)
