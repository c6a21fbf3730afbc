import type { Environment } from '@rfqctl/relay/config/sources'
import type { Output } from './terminal/output.ts'
import type { Ask, AskSecret } from './wallet/ask-secret.ts'

/** Where a command looks when it was not told where. Tests give addresses at which nothing listens, whatever runs on the machine. */
export type Defaults = { relayUrl: string; rpcUrl: string }

/** What every command works with: nothing else of the process is touched by a command. */
export type Cli = {
  out: Output
  /** How a person calls this program here, with the data directory of this call: what a command line begins with. */
  program: string
  environment: Environment
  defaults: Defaults
  /** Absolute path that relative paths start from. */
  cwd: string
  /** Aborted by the first Ctrl-C or SIGTERM; a command lets go of everything and ends. */
  stop: AbortSignal
  /** The terminal that a person sits at; absent where there is none. */
  terminal?: { stdin: NodeJS.ReadStream; stdout: NodeJS.WriteStream }
  /** Asks who sits at the terminal, without an echo; absent where no one does. */
  askSecret?: AskSecret
  /** Asks who sits at the terminal, who sees what is typed; absent where no one does. */
  ask?: Ask
  /** The whole of stdin as text, for a key that must not stand in a flag. */
  readStdin: () => Promise<string>
}

/**
 * The work of a command, with its options and arguments as `index.ts` declares them. It resolves when the command is done
 * and refuses by throwing.
 */
export type Run<Options = Record<string, never>, Args extends readonly unknown[] = []> = (
  cli: Cli,
  options: Options,
  ...args: Args
) => Promise<void>
