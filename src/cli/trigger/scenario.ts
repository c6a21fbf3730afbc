import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit.ts'
import type { Stage } from './stage.ts'

/** Something that can be made to happen in a running sandbox. It tells what it sees, and refuses when it does not happen. */
export type Scenario = {
  /** What happens, in a line. */
  summary: string
  /** Whether there must be a chain; in simulated mode nobody pays and nothing is settled. */
  needsChain?: boolean
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
