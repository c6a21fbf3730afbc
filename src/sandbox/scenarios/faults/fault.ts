import type { KeyAccount } from '@rfqctl/client/from-text'
import {
  type CommittedTrade,
  type ListedSeries,
  RelayError,
  type TakerClient,
  type TakerRequest,
  type Trade,
} from '@rfqctl/client/index'
import { linkAbort, unlessAborted } from '@rfqctl/lib/abort'
import { CliError } from '@rfqctl/lib/cli-error'
import { duration } from '@rfqctl/lib/format'
import type { ScenarioContext } from '../scenario.ts'

/** A running sandbox in which a fault is triggered. `makers` are those that no one runs yet. */
export type FaultContext = ScenarioContext & {
  dataDir: string
  isSimulated: boolean
  /** Null if unknown. */
  operatorToken: string | null
  taker: TakerClient
  openRegistrar: () => Promise<KeyAccount>
  listOpenSeries: () => Promise<{ rows: readonly OpenSeries[]; now: number }>
  openRequest: (seriesId: string, trade: Trade) => Promise<TakerRequest>
  keepCommitment: (request: TakerRequest, commitment: CommittedTrade) => void
  /** Each settles when its maker has ended. */
  running: Promise<void>[]
}

/** `text` is its name for people. */
export type OpenSeries = ListedSeries & { text: string }

/** A fault to trigger in a running sandbox. It reports its observations, and refuses if they are unexpected. */
export type FaultScenario = {
  summary: string
  /** Whether a chain is required; in simulated mode no one pays and nothing is settled. */
  needsChain?: boolean
  next?: string
  run: (context: FaultContext) => Promise<void>
}

export const scenarioFailed = (message: string, cause?: unknown): CliError =>
  new CliError(message, {
    code: 'scenario_failed',
    why: cause instanceof Error ? [cause.message] : [],
    hint: 'rfqctl audit',
    cause,
  })

/** The refusal of a call. Refuses with `scenario_failed` on another code or none; passes other faults on. */
export async function refusalOf(call: Promise<unknown>, code: string): Promise<RelayError> {
  const refusal = await call.then(
    () => null,
    (error: unknown) => {
      if (error instanceof RelayError) return error
      throw error
    },
  )
  if (refusal?.code === code) return refusal
  throw scenarioFailed(`expected a refusal with ${code}, but there was none`, refusal)
}

/** The result of `work`, or a refusal with `timed_out` that names `what`, and `why`. Its signal ends the work. */
export async function withTimeout<Value>(
  ms: number,
  { what, signal, why = () => [] }: { what: string; signal: AbortSignal; why?: () => string[] },
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const limit = linkAbort(signal)
  const late = () =>
    new CliError(`timed out after ${duration(ms)} waiting for ${what}`, {
      code: 'timed_out',
      why: why(),
      hint: 'rfqctl dashboard --once',
    })
  const timer = setTimeout(() => limit.abort(late()), ms)
  try {
    return await unlessAborted(work(limit.signal), limit.signal)
  } finally {
    clearTimeout(timer)
    limit.release()
  }
}
