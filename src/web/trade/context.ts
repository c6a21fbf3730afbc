import type { Hex } from '@rfqctl/client/index'
import { failureOf } from './failure.ts'
import type { ConnectedWallet, TradePorts, Trader } from './ports.ts'
import type { TradeAction } from './reduce.ts'
import type { Outcome, TaskKey, TaskStep, TradeState } from './state.ts'
import type { TradeRecord } from './trade-record.ts'

export type SessionContext = {
  ports: TradePorts
  get: () => TradeState
  dispatch: (action: TradeAction) => void
  signal: AbortSignal
  wallet: () => ConnectedWallet | null
  /** Asks the relay, and the chain for the wallet in use, if there is one. */
  reader: () => Trader
  /** A trader for one action; `onSent` receives the transactions that it sends. */
  traderFor: (onSent: (hash: Hex) => void) => Trader
  refresh: () => void
}

export const findTrade = ({ get }: Pick<SessionContext, 'get'>, requestId: string): TradeRecord | undefined =>
  get().trades.find(({ request }) => request.requestId === requestId)

export type TaskProgress = { step: (step: TaskStep, hash?: Hex | null) => void }

export async function runTask(
  context: SessionContext,
  key: TaskKey,
  work: (progress: TaskProgress) => Promise<Outcome>,
): Promise<void> {
  const { get, dispatch, ports, signal } = context
  if (get().tasks[key]?.kind === 'running') return
  const since = ports.clock.now()
  const step = (next: TaskStep, hash: Hex | null = null) =>
    dispatch({ kind: 'task-changed', key, task: { kind: 'running', since, step: next, hash } })
  step('relay')
  try {
    const outcome = await work({ step })
    if (signal.aborted) return
    dispatch({ kind: 'task-changed', key, task: { kind: 'done', at: ports.clock.now(), outcome } })
  } catch (error) {
    if (signal.aborted) return
    dispatch({ kind: 'task-changed', key, task: { kind: 'failed', at: ports.clock.now(), failure: failureOf(error) } })
  } finally {
    if (!signal.aborted) context.refresh()
  }
}
