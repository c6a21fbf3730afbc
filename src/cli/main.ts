import { text } from 'node:stream/consumers'
import { readEnvironment } from '../config/environment.ts'
import { EXIT } from './exit.ts'
import { runCli } from './run-cli.ts'
import type { StopReason } from './stop.ts'

/** Time that everything has to end once it was told to; `serve` needs at most 15 s for its commits (reliability H1). */
const STOP_WITHIN_MS = 19_000

const controller = new AbortController()

function stop(reason: StopReason): void {
  if (controller.signal.aborted) return
  controller.abort(reason)
  setTimeout(
    () => exitAtOnce(EXIT.unexpected, 'error: it did not end within 19 s and was cut off'),
    STOP_WITHIN_MS,
  ).unref()
}

function onSignal(signal: 'SIGINT' | 'SIGTERM'): void {
  if (controller.signal.aborted) exitAtOnce(EXIT.interrupted, 'asked twice: ending at once')
  stop({ kind: 'signal', signal })
}

function onFault(fault: unknown): void {
  process.stderr.write(`error: ${fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)}\n`)
  stop({ kind: 'fault', fault })
}

function exitAtOnce(code: number, words: string): never {
  process.stderr.write(`${words}\n`)
  process.exit(code)
}

process.on('SIGINT', onSignal)
process.on('SIGTERM', onSignal)
process.on('uncaughtException', onFault)
process.on('unhandledRejection', onFault)
// A reader that goes away (`rfqctl ... | head`) has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done)
  throw error
})

process.exitCode = await runCli(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  environment: readEnvironment(),
  cwd: process.cwd(),
  stop: controller.signal,
  readStdin: () => text(process.stdin),
})
