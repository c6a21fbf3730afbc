import { text } from 'node:stream/consumers'
import { EXIT } from '@rfqctl/lib/exit'
import type { StopReason, StopSignal } from '@rfqctl/lib/stop'
import { readEnvironment } from '@rfqctl/relay/config/environment'
import type { Cli } from './cli.ts'
import { describeFailure } from './errors/describe-failure.ts'
import { scrubbedStack } from './errors/error-causes.ts'
import { failureOf } from './errors/failure.ts'
import { programName } from './program-name.ts'
import { runCli } from './run-cli.ts'
import { createOutput } from './terminal/output.ts'
import { createAskSecret } from './wallet/ask-secret.ts'

/** Time that everything has to end once it was told to; `serve` needs at most 15 s for its commits (fault H1). */
const STOP_WITHIN_MS = 19_000

/** `timeout` and `npx` pass on a signal that the terminal also gave to the whole group: one request, heard twice. */
const ECHO_MS = 100

const controller = new AbortController()
let askedAt = 0
/** What is still being put into words. */
let said: Promise<unknown> = Promise.resolve()
/** How the command speaks: to people, to programs, or to a log. Its process ends in the same form. */
let out = createOutput({ stdout: process.stdout, stderr: process.stderr, isJson: false, allowsColor: false })

function stop(reason: StopReason): void {
  if (controller.signal.aborted) return
  controller.abort(reason)
  setTimeout(() => {
    const message = 'shutdown timed out after 19 s'
    out.fail(failureOf({ code: 'cut_off', message, hint: null, exitCode: EXIT.unexpected }))
    process.exit(EXIT.unexpected)
  }, STOP_WITHIN_MS).unref()
}

function onSignal(signal: StopSignal): void {
  const now = performance.now()
  if (!controller.signal.aborted) askedAt = now
  else if (now - askedAt > ECHO_MS) {
    const message = 'second interrupt: exiting now'
    out.advise({ type: 'ending', message }, message)
    process.exit(EXIT.interrupted)
  }
  stop({ kind: 'signal', signal })
}

/** A fault that no one caught: everything is drained, and the process fails, not before it said why (fault H5). */
function onFault(fault: unknown): void {
  stop({ kind: 'fault', fault })
  const { code, exitCode } = describeFailure(fault)
  const telling = scrubbedStack(fault).then((stack) =>
    out.fail(failureOf({ code, message: stack, hint: null, exitCode })),
  )
  said = Promise.all([said, telling])
}

process.on('SIGINT', onSignal)
process.on('SIGTERM', onSignal)
process.on('SIGHUP', onSignal)
process.on('uncaughtException', onFault)
process.on('unhandledRejection', onFault)
// Talk that no one can hear any more, as after a terminal hung up, is no reason to stop draining.
process.stderr.on('error', () => {})
// A reader that goes away (`rfqctl ... | head`) has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done)
  throw error
})

/** How to ask who sits at the terminal. */
function asking(): Required<Pick<Cli, 'ask' | 'askSecret'>> {
  const askSecret = createAskSecret({
    stdin: process.stdin,
    stderr: process.stderr,
    stop: controller.signal,
    onInterrupt: () => process.kill(process.pid, 'SIGINT'),
  })
  return { askSecret, ask: (question) => askSecret(question, true) }
}

const code = await runCli(process.argv.slice(2), {
  program: programName({ script: process.argv[1] ?? '', cwd: process.cwd(), environment: readEnvironment() }),
  stdout: process.stdout,
  stderr: process.stderr,
  onOutput: (output) => {
    out = output
  },
  environment: readEnvironment(),
  // Where `rfqctl serve` and `rfqctl chain start` listen unless they are told otherwise.
  defaults: { relayUrl: 'http://127.0.0.1:8787', rpcUrl: 'http://127.0.0.1:8545' },
  cwd: process.cwd(),
  stop: controller.signal,
  readStdin: () => text(process.stdin),
  ...(process.stdin.isTTY ? asking() : {}),
  ...(process.stdin.isTTY && process.stdout.isTTY
    ? { terminal: { stdin: process.stdin, stdout: process.stdout } }
    : {}),
})

// Whatever still runs by now is no one's business any more. What was written is let out first.
await said
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))))
process.exit(code)
