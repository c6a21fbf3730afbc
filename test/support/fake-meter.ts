import type { Meter, Vitals } from '../../src/relay/core/ports/operations.ts'

/** A meter that shows what it counted. */
export type FakeMeter = Meter & {
  answers: { method: string; route: string; status: number; durationMs: number }[]
  keysInQuery: () => number
}

/** Counts connections like the real one; the other vitals stand still. */
export function createFakeMeter(): FakeMeter {
  const connections: Record<keyof Vitals['connections'], number> = {
    maker_stream: 0,
    taker_stream: 0,
    operator_stream: 0,
    maker_socket: 0,
  }
  const answers: FakeMeter['answers'] = []
  let droppedSlow = 0
  let keysInQuery = 0
  return {
    answers,
    connected: (channel) => {
      connections[channel] += 1
      return () => {
        connections[channel] -= 1
      }
    },
    dropped: () => {
      droppedSlow += 1
    },
    keyInQuery: () => {
      keysInQuery += 1
    },
    keysInQuery: () => keysInQuery,
    answersOf: (route) => (answer) => void answers.push({ ...route, ...answer }),
    vitals: () => ({
      connections: { ...connections },
      droppedSlow,
      eventLoopLagMs: 1.5,
      memoryBytes: 64_000_000,
      uptimeMs: 60_000,
    }),
  }
}
