import { setTimeout as delay } from 'node:timers/promises'
import { wrapWords } from '@rfqctl/lib/text-width'
import type { Reporter } from '@rfqctl/sandbox/scenarios/scenario'
import type { Output } from './output.ts'

/** Sentences begin behind their time. */
const INDENT = ' '.repeat(10)

/** Times are relative to now; `pause` waits for readers, by default not at all. */
export function createReporter(
  out: Output,
  { pause = async () => {} }: Partial<Pick<Reporter, 'pause'>> = {},
): Reporter {
  const { colors } = out
  const start = performance.now()
  return {
    chapter: (title) => {
      if (!out.isJson) out.print(null, ['', colors.bold(title)])
    },
    event: (type, facts, sentence) => {
      const seconds = ((performance.now() - start) / 1_000).toFixed(2)
      const lines = wrapWords(sentence, out.width === null ? null : out.width - INDENT.length)
      const text = lines.map(
        (line, index) => (index === 0 ? `${colors.dim(`${seconds.padStart(6)} s`)}  ` : INDENT) + line,
      )
      out.print({ ...facts, type, atS: Number(seconds) }, text)
    },
    pause,
  }
}

/** Reading time of a step at half speed, in milliseconds. */
const READING_MS = 1_500

/** No pause at speed 1, and longer ones at lower speeds. `wait`, in milliseconds, is for tests. */
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
