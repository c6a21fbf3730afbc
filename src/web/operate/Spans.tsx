import type { ReactNode } from 'react'
import type { Line, Style } from '../dashboard/line.ts'
import { type Advice, type Cell, cellLine } from '../dashboard/views/view.ts'
import { inPlace } from '../parts/in-place.ts'
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
  return inPlace(cellLine(cell), ({ text, style }) =>
    style === null ? signed(text) : <span className={TONES[style]}>{signed(text)}</span>,
  )
}

/** A plain text needs no element of its own: several hundred cells are drawn several times a second. */
function signed(text: string): ReactNode {
  const sign = SIGN.exec(text)?.[0]
  if (sign === undefined) return text
  return (
    <>
      <span aria-hidden="true">{sign}</span>
      {text.slice(sign.length)}
    </>
  )
}

/** Lines below each other. */
export function Lines({ lines }: { lines: readonly Line[] }): ReactNode {
  return inPlace(lines, (line) => (
    <p className="ops-line">
      <Spans cell={line} />
    </p>
  ))
}

/** Sentences, the first as a title; a command line stands apart, ready to be copied. */
export function Sentences({ advice, title = false }: { advice: readonly Advice[]; title?: boolean }): ReactNode {
  return inPlace(advice, (part, place) => {
    if (part === '') return null
    if (typeof part !== 'string') return <code>{part.command}</code>
    return (
      <p className={title && place === 0 ? 'empty-title' : undefined}>
        <Spans cell={part} />
      </p>
    )
  })
}
