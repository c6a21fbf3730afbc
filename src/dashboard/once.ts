import type { Clock } from '../client/clock.ts'
import type { OperatorClient } from '../client/index.ts'
import { type DashboardState, initialState, reduce } from './state.ts'

/** Reads one snapshot. Rejects when the relay does not answer at the first attempt, or refuses. */
export async function readSnapshot({
  client,
  clock,
  signal,
}: {
  client: Pick<OperatorClient, 'watchEvents'>
  clock: Clock
  signal: AbortSignal
}): Promise<DashboardState> {
  let state = initialState(clock.now())
  for await (const event of client.watchEvents({ signal, onLink: throwIfLost })) {
    state = reduce(state, { kind: 'events', events: [event], at: clock.now() })
    if (event.kind === 'snapshot_complete') break
  }
  return state
}

/** Whoever looks once does not wait for a relay to come back: for `onLink` of such a look. */
export function throwIfLost(state: { kind: string; error?: Error }): void {
  if (state.kind === 'lost') throw state.error
}
