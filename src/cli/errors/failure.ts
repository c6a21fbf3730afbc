import type { CliError } from '@rfqctl/lib/cli-error'
import { exitOf } from '@rfqctl/lib/exit'
import type { Colors } from '../terminal/colors.ts'

/** `why` has the figures, `hint` one thing to do, `data` further fields for programs. */
export type Failure = Pick<CliError, 'code' | 'message' | 'why' | 'hint' | 'exitCode' | 'data'>

/** The exit code is by default that of the code. */
export const failureOf = (parts: Pick<Failure, 'code' | 'message'> & Partial<Failure>): Failure => ({
  why: [],
  hint: null,
  exitCode: exitOf(parts.code),
  data: {},
  ...parts,
})

export const failureLines = ({ message, why, hint }: Failure, colors: Colors): string[] => [
  `${colors.red('error:')} ${message}`,
  ...why.map((reason) => `  ${reason}`),
  ...(hint === null ? [] : [`  ${colors.cyan('try:')} ${hint}`]),
]

export const failureJson = ({ code, message: error, why, hint, exitCode, data }: Failure): Record<string, unknown> => ({
  ...data,
  type: 'error',
  code,
  error,
  why,
  hint,
  exitCode,
})
