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

/** Shutdown limit; `serve` needs at most 15 s for its commits (fault H1). */
const STOP_WITHIN_MS = 19_000

/** `timeout` and `npx` repeat a signal that the terminal also sent to the whole group: it counts once. */
const ECHO_MS = 100

const controller = new AbortController()
let askedAt = 0
/** Reports still being written. */
let said: Promise<unknown> = Promise.resolve()
/** The form of the output for people, programs or a log; the process ends in the same form. */
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

/** An uncaught fault drains everything, then fails the process, but reports why first (fault H5). */
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
// A stderr without a reader, as after a terminal hung up, must not stop draining.
process.stderr.on('error', () => {})
// A reader that closes (`rfqctl ... | head`) has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done)
  throw error
})

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
  // `rfqctl serve` and `rfqctl chain start` listen there by default.
  defaults: { relayUrl: 'http://127.0.0.1:8787', rpcUrl: 'http://127.0.0.1:8545' },
  cwd: process.cwd(),
  stop: controller.signal,
  readStdin: () => text(process.stdin),
  ...(process.stdin.isTTY ? asking() : {}),
  ...(process.stdin.isTTY && process.stdout.isTTY
    ? { terminal: { stdin: process.stdin, stdout: process.stdout } }
    : {}),
})

// The process exits whatever still runs. Pending output is flushed first.
await said
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))))
process.exit(code)
