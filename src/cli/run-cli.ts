import { CliError } from '@rfqctl/lib/cli-error'
import { EXIT } from '@rfqctl/lib/exit'
import type { StopReason } from '@rfqctl/lib/stop'
import { StoreOpenError } from '@rfqctl/relay/adapters/store/open-error'
import { forbidsColor } from '@rfqctl/relay/config/environment'
import { CommanderError } from 'commander'
import type { Cli } from './cli.ts'
import { describeFailure } from './errors/describe-failure.ts'
import { scrubbedStack } from './errors/error-causes.ts'
import { buildProgram, isHelp, WELCOME } from './program.ts'
import { withDataDir } from './program-name.ts'
import { createOutput, type Output, type Sink } from './terminal/output.ts'

/** A process's streams and settings; `onOutput` gives it the output format for its own last messages. */
export type Process = Omit<Cli, 'out' | 'program'> & {
  program?: string
  stdout: Sink
  stderr: Sink
  onOutput?: (out: Output) => void
}

/** Returns the exit code; never throws. */
export async function runCli(argv: readonly string[], process: Process): Promise<number> {
  const { stdout, stderr, onOutput = () => {}, ...given } = process
  const allowsColor = !forbidsColor(given.environment) && !argv.includes('--no-color')
  const program = withDataDir(given.program ?? 'rfqctl', argv)
  const out = createOutput({ stdout, stderr, program, isJson: argv.includes('--json'), allowsColor })
  onOutput(out)
  try {
    refuseKeyFlags(argv)
    if (argv.every((word) => word === '--json' || word === '--no-color')) out.print({ help: 'rfqctl --help' }, WELCOME)
    else
      await buildProgram({ ...given, out, program }, { stdout, stderr, argv }).parseAsync([...argv], { from: 'user' })
    return stopCode(process.stop, EXIT.done)
  } catch (error) {
    return failed(error, { out, process })
  }
}

async function failed(error: unknown, { out, process }: { out: Output; process: Process }): Promise<number> {
  if (error instanceof CommanderError && isHelp(error)) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  // Errors caused by stopping are not reported.
  if (process.stop.aborted && isAbort(error, process.stop)) return stopCode(process.stop, EXIT.interrupted)
  const failure = describeFailure(error)
  out.fail(failure)
  if (process.environment.RFQCTL_DEBUG) {
    const stack = await scrubbedStack(error)
    out.advise({ type: 'stack', stack }, stack)
  }
  return failure.exitCode
}

/** A fault anywhere in the process is a failure, even if the command succeeded (fault H5). */
const stopCode = (stop: AbortSignal, otherwise: number): number => {
  const reason = stop.reason as StopReason | undefined
  if (!stop.aborted || reason === undefined) return otherwise
  if (reason.kind === 'fault') return reason.fault instanceof StoreOpenError ? EXIT.inUse : EXIT.unexpected
  // Ctrl-C always exits with 130, so that a shell stops its script; a sender of SIGTERM gets the outcome.
  if (reason.signal === 'SIGINT') return EXIT.interrupted
  return otherwise === EXIT.done ? EXIT.done : EXIT.terminated
}

/** An aborted call throws the reason itself, or an AbortError made of it. */
const isAbort = (error: unknown, stop: AbortSignal): boolean =>
  error === stop.reason || (error instanceof Error && error.name === 'AbortError')

/** Flags that people try for a private key. Everyone on the machine can read a flag (fault K1). */
const KEY_FLAG =
  /^--?(?:private-?key|priv-?key|secret-?key|signer-?key|wallet-?key|mnemonic|seed-phrase|key|pk)(?:=|$)/i

/** The refusal does not repeat the key. */
function refuseKeyFlags(argv: readonly string[]): void {
  const index = argv.findIndex((word) => KEY_FLAG.test(word))
  if (index === -1) return
  throw new CliError('private keys are not accepted on the command line', {
    why: ['every program on this machine can read one there, and the shell keeps it in its history'],
    hint: 'use --account NAME, --key-file PATH or --key-stdin, and stop using this key',
  })
}
