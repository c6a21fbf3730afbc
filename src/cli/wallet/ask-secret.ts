import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'

/** Rejects with the reason of `stop`, or with `null` at the end of input. */
export type Ask = (question: string) => Promise<string>

/** No echo, unless `isShown`. */
export type AskSecret = (question: string, isShown?: boolean) => Promise<string>

/**
 * Prompts on stderr, since stdout is for results. The echo stays off while a key is derived from the answer, which
 * blocks for seconds, so that keys typed ahead are not shown.
 */
export function createAskSecret(place: {
  stdin: NodeJS.ReadableStream
  stderr: { write: (text: string) => unknown }
  stop: AbortSignal
  /** Ctrl-C is not a signal while a line is edited. The callback has to abort `stop`. */
  onInterrupt: () => void
}): AskSecret {
  const { stdin, stderr, stop, onInterrupt } = place
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

  /**
   * Releases the terminal unless asked again meanwhile: after the next read of the input, which drops keys typed ahead.
   */
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
      // Editing redraws the line with its prompt.
      lines.setPrompt(question)
      echoes = isShown
      lines.once('line', onLine).once('close', onClose)
      if (stop.aborted) close()
      else stop.addEventListener('abort', close, { once: true })
    })
}
