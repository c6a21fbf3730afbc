/** In Unicode and in ASCII. Each sign is beside a word that says the same. All are one column wide. */
const SIGNS = {
  live: ['●', '*'],
  lost: ['○', 'o'],
  busy: ['◐', '~'],
  good: ['✓', '+'],
  bad: ['✗', 'x'],
  warning: ['▲', '!'],
  paused: ['‖', '='],
  pointer: ['▸', '>'],
  best: ['★', '*'],
  ellipsis: ['…', '~'],
  rule: ['─', '-'],
  divider: ['│', '|'],
  barFull: ['█', '#'],
  barEmpty: ['░', '.'],
  /** From the least to the most. */
  spark: ['▁▂▃▄▅▆▇█', '_.:-=+*#'],
  dot: ['•', 'o'],
  path: ['━', '='],
  axis: ['┤', '|'],
} as const

export type Glyphs = Record<keyof typeof SIGNS, string>

/**
 * `screen` is drawn, `speech` is sentences for someone who listens, `page` is HTML; `program` is the command to type
 * here.
 */
export type Theme = { glyphs: Glyphs; medium: 'screen' | 'speech' | 'page'; program?: string }

/** Works when pasted; a theme without a program names it plainly. */
export const commandLine = ({ program = 'rfqctl' }: Theme, text: string): string => `${program} ${text}`

const glyphsOf = (pick: (sign: readonly [unicode: string, ascii: string]) => string): Glyphs =>
  Object.fromEntries(Object.entries(SIGNS).map(([name, sign]) => [name, pick(sign)])) as Glyphs

export const UNICODE = glyphsOf(([unicode]) => unicode)
export const ASCII = glyphsOf(([, ascii]) => ascii)
/** No signs: the words beside them say the same. */
export const WORDS_ONLY = glyphsOf(() => '')

export const PAGE: Theme = { glyphs: UNICODE, medium: 'page' }
