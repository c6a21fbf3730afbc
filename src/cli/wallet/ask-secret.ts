import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

/** Asks who sits at the terminal for a secret. Rejects with the reason of `stop`, or with `null` at the end of input. */
export type AskSecret = (question: string) => Promise<string>

/** Asks on a terminal and echoes nothing. The question goes to stderr: stdout is for results. */
export const createAskSecret =
  ({
    stdin,
    stderr,
    stop,
    onInterrupt,
  }: {
    stdin: NodeJS.ReadableStream
    stderr: { write: (text: string) => unknown }
    stop: AbortSignal
    /** Ctrl-C, which is no signal while a line is edited. It is to abort `stop`. */
    onInterrupt: () => void
  }): AskSecret =>
  (question) =>
    new Promise((resolve, reject) => {
      const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
      const lines = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 })
      const close = () => lines.close()
      let answer: string | null = null
      stderr.write(question)
      lines.once('line', (line) => {
        answer = line
        close()
      })
      lines.on('SIGINT', onInterrupt)
      lines.once('close', () => {
        stop.removeEventListener('abort', close)
        stderr.write('\n')
        if (answer === null) reject(stop.aborted ? stop.reason : null)
        else resolve(answer)
      })
      if (stop.aborted) close()
      else stop.addEventListener('abort', close, { once: true })
    })
