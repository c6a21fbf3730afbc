import type { Colors } from '../terminal/colors.ts'

/** What every error of a command tells: what happened, why in numbers, one thing to do. */
export type Failure = {
  code: string
  message: string
  why: readonly string[]
  hint: string | null
  exitCode: number
  /** Further fields of the refusal, for programs. */
  data: Readonly<Record<string, unknown>>
}

/** A failure; without figures and further fields unless they are given. */
export const failureOf = (parts: Omit<Failure, 'why' | 'data'> & Partial<Failure>): Failure => ({
  why: [],
  data: {},
  ...parts,
})

/** A failure for people. */
export const failureLines = ({ message, why, hint }: Failure, colors: Colors): string[] => [
  `${colors.red('error:')} ${message}`,
  ...why.map((reason) => `  ${reason}`),
  ...(hint === null ? [] : [`  ${colors.cyan('try:')} ${hint}`]),
]

/** A failure for programs. */
export const failureJson = ({ code, message, why, hint, exitCode, data }: Failure): Record<string, unknown> => ({
  ...data,
  type: 'error',
  code,
  error: message,
  why,
  hint,
  exitCode,
})
