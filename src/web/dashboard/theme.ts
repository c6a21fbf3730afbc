/** Each sign is beside a word that says the same. All are one column wide. */
export type Glyphs = {
  live: string
  lost: string
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
 * `screen` is drawn, `speech` is sentences for someone who listens, `page` is HTML; `program` is the command to type
 * here.
 */
export type Theme = { glyphs: Glyphs; medium: 'screen' | 'speech' | 'page'; program?: string }

/** Works when pasted; a theme without a program names it plainly. */
export const commandLine = ({ program = 'rfqctl' }: Theme, text: string): string => `${program} ${text}`

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

/** No signs: the words beside them say the same. */
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
