import { linkAbort, unlessAborted } from '../../client/abort.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import { duration } from '../../lib/format.ts'

/** What `work` resolves with, or a refusal with `timed_out` that names what was waited for. Its signal ends the work. */
export async function inTime<Value>(
  ms: number,
  what: string,
  stop: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const limit = linkAbort(stop)
  const late = new CliError(`timed out after ${duration(ms)} waiting for ${what}`, {
    code: 'timed_out',
    exitCode: EXIT.timedOut,
    hint: 'rfqctl dashboard --once',
  })
  const timer = setTimeout(() => limit.abort(late), ms)
  try {
    return await unlessAborted(work(limit.signal), limit.signal)
  } finally {
    clearTimeout(timer)
    limit.release()
  }
}
