import { RelayError } from '../../client/index.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import type { Stage } from './stage.ts'

/** Something that can be made to happen in a running sandbox. It tells what it sees, and refuses when it does not happen. */
export type Scenario = {
  /** What happens, in a line. */
  summary: string
  /** Whether there must be a chain; in simulated mode no one pays and nothing is settled. */
  needsChain?: boolean
  /** The command that shows what came of it. */
  next?: string
  run: (stage: Stage) => Promise<void>
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
