import { Fragment, type ReactNode } from 'react'
import type { Line, Style } from '../../dashboard/line.ts'
import { type Advice, type Cell, cellLine } from '../../dashboard/views/view.ts'
import { PAGE } from './theme.ts'

/** The class of each tone; the words beside it say the same. */
const TONES: Readonly<Record<Style, string>> = {
  strong: 'strong',
  faint: 'faint',
  good: 'gain',
  busy: 'warning',
  bad: 'loss',
  title: 'accent',
  chosen: 'strong',
}

/** A sign that stands before its words. */
const SIGN = new RegExp(`^( *[${Object.values(PAGE.glyphs).join('')}])(?= )`)

/** A line of the core, in the colours of its tones. Signs are not read aloud: words beside them say the same. */
export function Spans({ cell }: { cell: Cell }): ReactNode {
  return cellLine(cell).map(({ text, style }, i) => {
    const parts = signed(text)
    if (style === null) return parts
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a piece of a line is its place in it
      <span key={i} className={TONES[style]}>
        {parts}
      </span>
    )
  })
}

/** A plain text needs no element of its own: several hundred cells are drawn several times a second. */
function signed(text: string): ReactNode {
  const sign = SIGN.exec(text)?.[0]
  if (sign === undefined) return text
  return (
    <Fragment key="signed">
      <span aria-hidden="true">{sign}</span>
      {text.slice(sign.length)}
    </Fragment>
  )
}

/** Lines below each other. */
export function Lines({ lines }: { lines: readonly Line[] }): ReactNode {
  return lines.map((line, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place among the others
    <p key={i} className="ops-line">
      <Spans cell={line} />
    </p>
  ))
}

/** Sentences, the first as a title; a command line stands apart, ready to be copied. */
export function Sentences({ advice, title = false }: { advice: readonly Advice[]; title?: boolean }): ReactNode {
  return advice.map((part, i) => {
    if (part === '') return null
    // biome-ignore lint/suspicious/noArrayIndexKey: a sentence is its place among the others
    if (typeof part !== 'string') return <code key={i}>{part.command}</code>
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a sentence is its place among the others
      <p key={i} className={title && i === 0 ? 'empty-title' : undefined}>
        <Spans cell={part} />
      </p>
    )
  })
}
