import { exitOf } from './exit.ts'

/** Ends a command: the event, the reason in numbers, and one thing to do. Contains no secret. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly code: string
  readonly exitCode: number
  readonly why: readonly string[]
  readonly hint: string | null
  readonly data: Readonly<Record<string, unknown>>

  constructor(
    message: string,
    options: {
      code?: string
      /** By default, that of the code. */
      exitCode?: number
      why?: readonly string[]
      hint?: string | null
      data?: Readonly<Record<string, unknown>>
      cause?: unknown
    } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.code = options.code ?? 'usage'
    this.exitCode = options.exitCode ?? exitOf(this.code)
    this.why = options.why ?? []
    this.hint = options.hint ?? null
    this.data = options.data ?? {}
  }
}
