import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'

/** Asks who sits at the terminal for a secret. Rejects with the reason of `stop`, or with `null` at the end of input. */
export type AskSecret = (question: string) => Promise<string>

/**
 * Asks on a terminal and echoes nothing. The question goes to stderr: stdout is for results. The terminal stays mute while
 * a key is derived from the answer, which takes seconds and holds up everything, so that what is typed ahead is not shown.
 */
export function createAskSecret({
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
}): AskSecret {
  let open: Interface | null = null
  let questions = 0

  function listen(): Interface {
    if (open !== null) return open
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
    const lines = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 })
    lines.on('SIGINT', onInterrupt)
    lines.once('close', () => {
      open = null
    })
    open = lines
    return lines
  }

  /** Lets go of the terminal, unless asked again meanwhile: after the next look at the input, which drops what was typed ahead. */
  function letGo(lines: Interface): void {
    const asked = questions
    setImmediate(() => setImmediate(() => asked === questions && lines.close()))
  }

  return (question) =>
    new Promise((resolve, reject) => {
      const lines = listen()
      questions += 1
      const end = () => {
        lines.off('line', onLine).off('close', onClose)
        stop.removeEventListener('abort', close)
        stderr.write('\n')
      }
      const close = () => lines.close()
      const onLine = (answer: string) => {
        end()
        letGo(lines)
        resolve(answer)
      }
      const onClose = () => {
        end()
        reject(stop.aborted ? stop.reason : null)
      }
      stderr.write(question)
      lines.once('line', onLine).once('close', onClose)
      if (stop.aborted) close()
      else stop.addEventListener('abort', close, { once: true })
    })
}
