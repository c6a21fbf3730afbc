/** The signs that are drawn, each beside a word that says the same. All are one column wide. */
export type Glyphs = {
  /** Alive, in order. */
  live: string
  lost: string
  /** Waiting for someone. */
  busy: string
  good: string
  bad: string
  warning: string
  paused: string
  pointer: string
  best: string
  ellipsis: string
  rule: string
  divider: string
  barFull: string
  barEmpty: string
  /** From the least to the most. */
  spark: string
  dot: string
  path: string
  axis: string
}

/**
 * How it is shown: drawn on a terminal's screen, told in sentences to someone who hears it, or on a page; and how one calls
 * the program here.
 */
export type Theme = { glyphs: Glyphs; medium: 'screen' | 'speech' | 'page'; program?: string }

/** A command line that works when pasted; a theme without a program names it plainly. */
export const commandLine = ({ program = 'rfqctl' }: Theme, text: string): string => `${program} ${text}`

/** Signs of every terminal with Unicode. */
export const UNICODE: Glyphs = {
  live: '●',
  lost: '○',
  busy: '◐',
  good: '✓',
  bad: '✗',
  warning: '▲',
  paused: '‖',
  pointer: '▸',
  best: '★',
  ellipsis: '…',
  rule: '─',
  divider: '│',
  barFull: '█',
  barEmpty: '░',
  spark: '▁▂▃▄▅▆▇█',
  dot: '•',
  path: '━',
  axis: '┤',
}

/** No signs: what they say stands in words beside them. */
export const WORDS_ONLY: Glyphs = {
  live: '',
  lost: '',
  busy: '',
  good: '',
  bad: '',
  warning: '',
  paused: '',
  pointer: '',
  best: '',
  ellipsis: '',
  rule: '',
  divider: '',
  barFull: '',
  barEmpty: '',
  spark: '',
  dot: '',
  path: '',
  axis: '',
}

/** Signs of any terminal at all. */
export const ASCII: Glyphs = {
  live: '*',
  lost: 'o',
  busy: '~',
  good: '+',
  bad: 'x',
  warning: '!',
  paused: '=',
  pointer: '>',
  best: '*',
  ellipsis: '~',
  rule: '-',
  divider: '|',
  barFull: '#',
  barEmpty: '.',
  spark: '_.:-=+*#',
  dot: 'o',
  path: '=',
  axis: '|',
}
