import { RelayError } from '@rfqctl/client/errors'
import type { OperatorClient, OperatorEvent } from '@rfqctl/client/index'
import type { Clock } from '@rfqctl/lib/clock'
import { type Action, type DashboardState, initialState, reduce } from './state.ts'

/** Interval of dispatches, milliseconds: the reducer copies its maps once per batch. */
const BATCH_MS = 100

type FeedPorts = { client: Pick<OperatorClient, 'watchEvents'>; clock: Clock; signal: AbortSignal }

/**
 * Follows the operator's feed until the signal aborts, dispatching its events in batches. A final refusal ends it and
 * is dispatched, too; any other fault rejects.
 */
export async function followFeed(ports: FeedPorts & { dispatch: (action: Action) => void }): Promise<void> {
  const { client, dispatch, clock, signal } = ports
  let pending: OperatorEvent[] = []
  let stopTimer: (() => void) | null = null

  function flush(): void {
    stopTimer?.()
    stopTimer = null
    const events = pending
    pending = []
    if (events.length > 0) dispatch({ kind: 'events', events, at: clock.now() })
  }

  try {
    const onConnectionState: NonNullable<Parameters<OperatorClient['watchEvents']>[0]>['onConnectionState'] = (
      state,
    ) => {
      flush()
      dispatch({ kind: 'link', state, at: clock.now() })
    }
    for await (const event of client.watchEvents({ signal, onConnectionState })) {
      pending.push(event)
      stopTimer ??= clock.schedule(clock.now() + BATCH_MS, flush)
    }
  } catch (fault) {
    if (signal.aborted) return
    if (!(fault instanceof RelayError)) throw fault
    flush()
    dispatch({ kind: 'refused', isUnauthorised: fault.status === 401, reason: fault.message })
  } finally {
    stopTimer?.()
  }
}

/** Rejects if the relay does not answer the first attempt, or refuses. */
export async function readSnapshot({ client, clock, signal }: FeedPorts): Promise<DashboardState> {
  let state = initialState(clock.now())
  for await (const event of client.watchEvents({ signal, onConnectionState: throwIfLost })) {
    state = reduce(state, { kind: 'events', events: [event], at: clock.now() })
    if (event.kind === 'snapshot_complete') break
  }
  return state
}

/** For `onConnectionState` of a single read, which does not wait for a relay to come back. */
export function throwIfLost(state: { kind: string; error?: Error }): void {
  if (state.kind === 'lost') throw state.error
}
