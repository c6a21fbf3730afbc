import { setTimeout as delay } from 'node:timers/promises'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import { wrapWords } from '../../lib/text-width.ts'
import type { Output } from '../terminal/output.ts'

/** Tells the story, and stops it at the first number that is not what it must be. */
export type Narrator = {
  /** Opens a part of the story. */
  chapter: (title: string) => void
  /** Something that happened: its facts for programs, a sentence for people. */
  tell: (event: string, facts: Record<string, unknown>, sentence: string) => void
  /** Leaves time to read what was told; ends with an `AbortError` when everything is told to end. */
  pause: () => Promise<void>
  /** A number read from the chain against the number that it must be. Refuses with exit code 1 when they differ. */
  check: (what: string, actual: bigint, expected: bigint) => void
  /** How many numbers were checked. */
  checked: () => number
}

/** Where sentences begin: behind their time. */
const INDENT = ' '.repeat(10)

/** A narrator on a command's output. Times count from now; `pause` is how it waits for its readers, by default not at all. */
export function createNarrator(
  out: Output,
  { pause = async () => {} }: Partial<Pick<Narrator, 'pause'>> = {},
): Narrator {
  const { colors } = out
  const start = performance.now()
  let checks = 0

  return {
    chapter: (title) => {
      if (!out.isJson) out.print(null, ['', colors.bold(title)])
    },
    tell: (event, facts, sentence) => {
      const seconds = ((performance.now() - start) / 1_000).toFixed(2)
      const lines = wrapWords(sentence, out.width === null ? null : out.width - INDENT.length)
      const text = lines.map(
        (line, index) => (index === 0 ? `${colors.dim(`${seconds.padStart(6)} s`)}  ` : INDENT) + line,
      )
      out.print({ ...facts, type: event, atS: Number(seconds) }, text)
    },
    pause,
    check: (what, actual, expected) => {
      checks += 1
      if (actual === expected) return
      throw new CliError(`${what} is wrong`, {
        code: 'demo_mismatch',
        exitCode: EXIT.unexpected,
        why: [`the chain says ${actual}`, `expected ${expected}`, `the difference is ${actual - expected}`],
        hint: 'this is a bug: please report it with the output above',
      })
    },
    checked: () => checks,
  }
}

/** How long each step is left to its readers at half speed, in milliseconds. */
const READING_MS = 1_500

/** How a story waits for its readers: not at all at speed 1, and the slower the longer. `wait` in milliseconds is for tests. */
export function createPause(
  speed: number,
  stop: AbortSignal,
  wait = (ms: number): Promise<void> => delay(ms, undefined, { signal: stop }),
): () => Promise<void> {
  const ms = Math.round(READING_MS * (1 / speed - 1))
  return async () => {
    if (ms > 0) await wait(ms)
  }
}
