import { stripVTControlCharacters } from 'node:util'
import type { OnConnectionState } from '@rfqctl/client/connection'
import { duration } from '@rfqctl/lib/format'
import type { Log } from '@rfqctl/relay/core/ports/runtime'
import { type Failure, failureJson, failureLines } from '../errors/failure.ts'
import { withProgramName } from '../program-name.ts'
import { type Colors, createColors } from './colors.ts'
import { wrapTalk } from './wrap-talk.ts'

/** What a command says. stdout carries results only, stderr the talk. */
export type Output = {
  /** Whether a program reads this: one JSON object per line, and nothing beside it. */
  isJson: boolean
  /** A result, or one event of a stream: a line of JSON for programs, `text` for people. */
  print: (value: unknown, text: string | readonly string[]) => void
  /** A text for another program, as it is: a person's command lines are printed in the form in which this one was called. */
  verbatim: (value: unknown, text: string) => void
  /** Talk: progress and hints. Programs do not get it. */
  note: (text: string) => void
  /** What the reader must know beside the result: talk for people, a JSON object for programs. Always on stderr. */
  advise: (value: unknown, text: string | readonly string[]) => void
  /** Why the command failed; a JSON object for programs. Always on stderr. */
  fail: (failure: Failure) => void
  /** From here on no one sits before it: what people must know goes to a log, a line each, and nothing else is said. */
  turnIntoService: (openLog: (stderr: { write: (line: string) => void }) => ServiceLog) => void
  /** Whether stderr is a terminal, where a person reads. */
  isAttended: boolean
  colors: Colors
  /** Columns of the terminal that results are shown on; null where there is none. */
  width: number | null
  /** Whether what a terminal shows may have colour. */
  isColorful: boolean
}

/** The part of a log that a service speaks to. */
export type ServiceLog = Pick<Log, 'warn' | 'error'>

/** Where output goes; what `process.stdout` and `process.stderr` are. */
export type Sink = { write: (text: string) => unknown; isTTY?: boolean; columns?: number }

/** The output of one command. Colour needs a terminal on both streams, so that no pipe ever gets an escape code. */
export function createOutput({
  stdout,
  stderr,
  program = 'rfqctl',
  isJson,
  allowsColor,
}: {
  stdout: Sink
  stderr: Sink
  program?: string
  isJson: boolean
  allowsColor: boolean
}): Output {
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
    isJson,
    isAttended: stderr.isTTY === true,
    turnIntoService: (openLog) => {
      service = openLog({ write: (text) => void stderr.write(text) })
    },
    colors,
    width: width(stdout),
    isColorful,
    print: (value, text) => {
      if (service === null) say(stdout, value, text)
    },
    verbatim: (value, text) => line(stdout, isJson ? toJson(value) : text),
    note: (text) => {
      if (!isJson && service === null) talk(text)
    },
    advise: (value, text) => {
      if (service === null && isJson) return void line(stderr, toJson(value))
      if (service === null) return talk(typeof text === 'string' ? text : text.join('\n'))
      const words = stripVTControlCharacters(typeof text === 'string' ? text : text.join(' '))
      service.warn('advice', { reason: words.replace(/^warning: /, '') })
    },
    fail: (failure) => {
      if (service === null) return void say(stderr, failureJson(failure), failureLines(failure, colors))
      const { code, message, why, hint } = failure
      service.error('failed', { code, reason: [message, ...why].join('; '), ...(hint === null ? {} : { hint }) })
    },
  }
}

/** One line of JSON; a bigint is its decimal text. */
const toJson = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? part.toString() : part))

/**
 * Says once that a connection is lost and tried again, and once that it is back, for commands that follow one. Programs
 * are not told.
 */
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
