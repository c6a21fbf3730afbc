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
import { EXIT } from '@rfqctl/lib/exit'
import { duration } from '@rfqctl/lib/format'
import type { ScenarioContext } from '../scenario.ts'

/** A running sandbox in which a fault is triggered. Its `makers` are those that no one runs yet. */
export type FaultContext = ScenarioContext & {
  /** Where the sandbox keeps its chain. */
  dataDir: string
  isSimulated: boolean
  /** Null where it is not known. */
  operatorToken: string | null
  taker: TakerClient
  /** The account that registers series. */
  openRegistrar: () => Promise<KeyAccount>
  /** Series that can be traded. */
  listOpenSeries: () => Promise<{ rows: readonly OpenSeries[]; now: number }>
  /** Opens a request of the taker, and keeps it for the commands that follow. */
  openRequest: (seriesId: string, trade: Trade) => Promise<TakerRequest>
  /** Keeps what a request was committed to. */
  keepCommitment: (request: TakerRequest, commitment: CommittedTrade) => void
  /** The makers that run; each settles when it has ended. */
  running: Promise<void>[]
}

/** A series that can be traded, with what people call it. */
export type OpenSeries = ListedSeries & { text: string }

/** A fault that can be triggered in a running sandbox. It reports what it sees, and refuses when that is something else. */
export type FaultScenario = {
  /** What happens, in a line. */
  summary: string
  /** Whether there must be a chain; in simulated mode no one pays and nothing is settled. */
  needsChain?: boolean
  /** The command that shows what came of it. */
  next?: string
  run: (context: FaultContext) => Promise<void>
}

/** The refusal of a scenario in which something else happened than it says. */
export const scenarioFailed = (message: string, cause?: unknown): CliError =>
  new CliError(message, {
    code: 'scenario_failed',
    exitCode: EXIT.unexpected,
    why: cause instanceof Error ? [cause.message] : [],
    hint: 'rfqctl audit',
    cause,
  })

/** The refusal that a call ends with. Refuses with `scenario_failed` where it is another or none; other faults go on. */
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

/** What `work` resolves with, or a refusal with `timed_out` that names what was waited for, and `why`. Its signal ends the work. */
export async function withTimeout<Value>(
  ms: number,
  { what, signal, why = () => [] }: { what: string; signal: AbortSignal; why?: () => string[] },
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const limit = linkAbort(signal)
  const late = () =>
    new CliError(`timed out after ${duration(ms)} waiting for ${what}`, {
      code: 'timed_out',
      exitCode: EXIT.timedOut,
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
