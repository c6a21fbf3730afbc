import type { Environment } from '@rfqctl/relay/config/sources'
import type { Output } from './terminal/output.ts'
import type { Ask, AskSecret } from './wallet/ask-secret.ts'

/**
 * Addresses used without flags and settings. Tests give addresses at which nothing listens, whatever runs on the
 * machine.
 */
export type Defaults = { relayUrl: string; rpcUrl: string }

/** The only access of a command to its process. */
export type Cli = {
  out: Output
  /**
   * The invocation as typed here, with the data directory of this call: the start of each command line that is printed.
   */
  program: string
  environment: Environment
  defaults: Defaults
  /** Absolute; relative paths are resolved against it. */
  cwd: string
  /** Aborted by the first Ctrl-C or SIGTERM; the command then releases everything and ends. */
  stop: AbortSignal
  /** Absent where stdin or stdout is not a terminal. */
  terminal?: { stdin: NodeJS.ReadStream; stdout: NodeJS.WriteStream }
  /** Reads without an echo; absent without a terminal. */
  askSecret?: AskSecret
  /** Reads with an echo; absent without a terminal. */
  ask?: Ask
  /** All of stdin as text, for a key that must not be in a flag. */
  readStdin: () => Promise<string>
}

/** A command's implementation, with the options and arguments that its `index.ts` declares. Failures are thrown. */
export type Run<Options = Record<string, never>, Args extends readonly unknown[] = []> = (
  cli: Cli,
  options: Options,
  ...args: Args
) => Promise<void>
