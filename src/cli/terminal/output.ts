import { stripVTControlCharacters } from 'node:util'
import type { OnConnectionState } from '@rfqctl/client/connection'
import { duration } from '@rfqctl/lib/format'
import type { Log } from '@rfqctl/relay/core/ports/runtime'
import { type Failure, failureJson, failureLines } from '../errors/failure.ts'
import { withProgramName } from '../program-name.ts'
import { createColors } from './colors.ts'
import { wrapTalk } from './wrap-talk.ts'

/** Results go to stdout, all else to stderr. */
export type Output = ReturnType<typeof createOutput>

export type ServiceLog = Pick<Log, 'warn' | 'error'>

export type Sink = { write: (text: string) => unknown; isTTY?: boolean; columns?: number }

/** Colour needs a terminal on both streams, so that a pipe never gets an escape code. */
export function createOutput(place: {
  stdout: Sink
  stderr: Sink
  program?: string
  isJson: boolean
  allowsColor: boolean
}) {
  const { stdout, stderr, program = 'rfqctl', isJson, allowsColor } = place
  const isColorful = allowsColor && !isJson && stdout.isTTY === true && stderr.isTTY === true
  const colors = createColors(isColorful)
  const line = (sink: Sink, text: string) => sink.write(`${text}\n`)
  const say = (sink: Sink, value: unknown, text: string | readonly string[]) =>
    line(sink, isJson ? toJson(value) : withProgramName(program, typeof text === 'string' ? text : text.join('\n')))
  const width = (sink: Sink): number | null => (sink.isTTY === true ? (sink.columns ?? null) : null)
  const talk = (text: string): void => {
    line(stderr, wrapTalk(withProgramName(program, text), { width: width(stderr), program }))
  }
  let service: ServiceLog | null = null
  return {
    /** For programs: one JSON object per line, and nothing else. */
    isJson,
    /** Stderr is a terminal. */
    isAttended: stderr.isTTY === true,
    /** From here on, advice and failures are log lines, and nothing else is printed. */
    turnIntoService: (openLog: (stderr: { write: (line: string) => void }) => ServiceLog): void => {
      service = openLog({ write: (text) => void stderr.write(text) })
    },
    colors,
    /** Columns of the terminal at stdout; null without one. */
    width: width(stdout),
    /** Stdout and stderr are both terminals, and colour is allowed. */
    isColorful,
    /** A result, or one event of a stream: a line of JSON for programs, `text` for people. */
    print: (value: unknown, text: string | readonly string[]): void => {
      if (service === null) say(stdout, value, text)
    },
    /** Unchanged text for another program; `print` rewrites command lines to this call's form. */
    verbatim: (value: unknown, text: string): void => void line(stdout, isJson ? toJson(value) : text),
    /** Progress and hints, for people only. */
    note: (text: string): void => {
      if (!isJson && service === null) talk(text)
    },
    /** Required reading beside the result: text for people, a JSON object for programs. Always on stderr. */
    advise: (value: unknown, text: string | readonly string[]) => {
      if (service === null && isJson) return void line(stderr, toJson(value))
      if (service === null) return talk(typeof text === 'string' ? text : text.join('\n'))
      const words = stripVTControlCharacters(typeof text === 'string' ? text : text.join(' '))
      service.warn('advice', { reason: words.replace(/^warning: /, '') })
    },
    /** A JSON object for programs. Always on stderr. */
    fail: (failure: Failure): void => {
      if (service === null) return void say(stderr, failureJson(failure), failureLines(failure, colors))
      const { code, message, why, hint } = failure
      service.error('failed', { code, reason: [message, ...why].join('; '), ...(hint === null ? {} : { hint }) })
    },
  }
}

/** A bigint is its decimal text. */
const toJson = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? part.toString() : part))

/** Notes once that the connection is lost, and once that it is back. Programs do not get it. */
export function noteConnection({ note, colors }: Output): OnConnectionState {
  let isLost = false
  return (state) => {
    if (state.kind === 'lost' && !isLost) {
      note(
        colors.yellow(
          `lost the connection to the relay; trying again in ${duration(state.retryInMs)}, until it is back`,
        ),
      )
      isLost = true
    }
    if (state.kind === 'open' && isLost) {
      note(colors.green('connected to the relay again'))
      isLost = false
    }
  }
}
