import { exitOf } from '@rfqctl/lib/exit'
import type { Colors } from '../terminal/colors.ts'

/** `why` has the figures, `hint` one thing to do. */
export type Failure = {
  code: string
  message: string
  why: readonly string[]
  hint: string | null
  exitCode: number
  /** Further fields of the refusal, for programs. */
  data: Readonly<Record<string, unknown>>
}

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

export const failureJson = ({ code, message, why, hint, exitCode, data }: Failure): Record<string, unknown> => ({
  ...data,
  type: 'error',
  code,
  error: message,
  why,
  hint,
  exitCode,
})
