import type { ReactNode } from 'react'
import type { Line, Style } from '../dashboard/line.ts'
import { PAGE } from '../dashboard/theme.ts'
import { type Advice, type Cell, cellLine } from '../dashboard/views/view.ts'
import { inPlace } from '../parts/in-place.ts'

/** The words beside a tone say the same. */
const TONES: Readonly<Record<Style, string>> = {
  strong: 'strong',
  faint: 'faint',
  good: 'gain',
  busy: 'warning',
  bad: 'loss',
  title: 'accent',
  chosen: 'strong',
}

const SIGN = new RegExp(`^( *[${Object.values(PAGE.glyphs).join('')}])(?= )`)

/** Signs are not read aloud: the words beside them say the same. */
export const Spans = ({ cell }: { cell: Cell }): ReactNode =>
  inPlace(cellLine(cell), ({ text, style }) =>
    style === null ? signed(text) : <span className={TONES[style]}>{signed(text)}</span>,
  )

/** Plain text needs no element: several hundred cells are drawn several times a second. */
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

export const Lines = ({ lines }: { lines: readonly Line[] }): ReactNode =>
  inPlace(lines, (line) => (
    <p className="ops-line">
      <Spans cell={line} />
    </p>
  ))

/** The first sentence is the title; a command line is set apart, ready to be copied. */
export const Sentences = ({ advice, title = false }: { advice: readonly Advice[]; title?: boolean }): ReactNode =>
  inPlace(advice, (part, place) => {
    if (part === '') return null
    if (typeof part !== 'string') return <code>{part.command}</code>
    return (
      <p className={title && place === 0 ? 'empty-title' : undefined}>
        <Spans cell={part} />
      </p>
    )
  })
