import type { Clock } from '../client/clock.ts'
import { RelayError } from '../client/errors.ts'
import type { OperatorClient, OperatorEvent } from '../client/index.ts'
import type { Action } from './state.ts'

/** How often what was heard is passed on, milliseconds: the reducer copies its maps once for each batch. */
const PASS_ON_MS = 100

/**
 * Follows the operator's feed until the signal, passing on what it hears in batches. A refusal that stands ends it and is
 * an action too; any other fault rejects.
 */
export async function followFeed({
  client,
  dispatch,
  clock,
  signal,
}: {
  client: Pick<OperatorClient, 'watchEvents'>
  dispatch: (action: Action) => void
  clock: Clock
  signal: AbortSignal
}): Promise<void> {
  let heard: OperatorEvent[] = []
  let stopTimer: (() => void) | null = null

  function passOn(): void {
    stopTimer?.()
    stopTimer = null
    const events = heard
    heard = []
    if (events.length > 0) dispatch({ kind: 'events', events, at: clock.now() })
  }

  try {
    const onLink: NonNullable<Parameters<OperatorClient['watchEvents']>[0]>['onLink'] = (state) => {
      passOn()
      dispatch({ kind: 'link', state, at: clock.now() })
    }
    for await (const event of client.watchEvents({ signal, onLink })) {
      heard.push(event)
      stopTimer ??= clock.schedule(clock.now() + PASS_ON_MS, passOn)
    }
  } catch (fault) {
    if (signal.aborted) return
    if (!(fault instanceof RelayError)) throw fault
    passOn()
    dispatch({ kind: 'refused', isUnauthorised: fault.status === 401, reason: fault.message })
  } finally {
    stopTimer?.()
  }
}
