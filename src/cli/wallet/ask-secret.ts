import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'

/** Asks who sits at the terminal. Rejects with the reason of `stop`, or with `null` at the end of input. */
export type Ask = (question: string) => Promise<string>

/** The same for a secret, of which nothing is shown, unless `isShown` says that it is none. */
export type AskSecret = (question: string, isShown?: boolean) => Promise<string>

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
  let echoes = false

  function listen(): Interface {
    if (open !== null) return open
    const output = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (echoes) stderr.write(chunk.toString())
        done()
      },
    })
    const lines = createInterface({ input: stdin, output, terminal: true, historySize: 0 })
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

  return (question, isShown = false) =>
    new Promise((resolve, reject) => {
      const lines = listen()
      questions += 1
      const end = () => {
        lines.off('line', onLine).off('close', onClose)
        stop.removeEventListener('abort', close)
        if (!isShown) stderr.write('\n')
        echoes = false
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
      // A correction draws the line again, with what it begins with.
      lines.setPrompt(question)
      echoes = isShown
      lines.once('line', onLine).once('close', onClose)
      if (stop.aborted) close()
      else stop.addEventListener('abort', close, { once: true })
    })
}
