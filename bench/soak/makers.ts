import type { Collector } from './collector.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { createFirmHabits, quotesFirm } from './firm-quotes.ts'
import { createMakerSession, type MakerMemory, type SoakMaker } from './maker-session.ts'

/** Makers that stay. */
type MakersOptions = {
  pools: readonly ConnectionPool[]
  makers: readonly SoakMaker[]
  quotesPerRequest: number
  collector: Collector
  signal: AbortSignal
}

/** So many orders between two that are sent back unsigned, so that the ladder is climbed. */
const DECLINES_ONE_IN = 20

/** Connects all makers, half of them with a stream, a socket and a connection of their own, half with a socket for all; resolves when all of them are. */
export async function connectMakers({ makers, quotesPerRequest, ...shared }: MakersOptions): Promise<void> {
  const sessions = makers.map((maker, index) =>
    createMakerSession(maker, {
      ...shared,
      memory: blankMemory(),
      isTurn: (requestId) => isTurn(requestId, { index, crowd: makers.length, quotesPerRequest }),
      name: maker.makerId,
      after: null,
      isOnSocket: isOnSocket(index),
      isLasting: true,
      confirmationMs: null,
      mayBeLate: false,
      declinesOneIn: DECLINES_ONE_IN,
      ...(quotesFirm(index) ? { afterFirm: createFirmHabits() } : {}),
    }),
  )
  await Promise.all(sessions.map(({ open }) => open()))
}

/** What a maker remembers at first. */
export const blankMemory = (): MakerMemory => ({
  ...{ asked: 0, missedLast: false, isSigningLate: false },
  ...{ quoted: new Set(), suspendedUntil: 0 },
})

/** Whether a maker has a socket only: the second four of eight, so that some are of each kind that is killed. */
export const isOnSocket = (index: number): boolean => index % 8 >= 4

/** Whether it is this maker's turn: so many of the crowd quote on each request, from a place on that its id tells. */
export function isTurn(
  requestId: string,
  { index, crowd, quotesPerRequest }: { index: number; crowd: number; quotesPerRequest: number },
): boolean {
  const first = Number.parseInt(requestId.slice(0, 8), 16) % crowd
  return (index - first + crowd) % crowd < quotesPerRequest
}
