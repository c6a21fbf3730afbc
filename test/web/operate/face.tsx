import { renderToStaticMarkup } from 'react-dom/server'
import type { DashboardState } from '../../../src/web/dashboard/state.ts'
import type { OperateAct } from '../../../src/web/operate/act.ts'
import { Operate } from '../../../src/web/operate/Operate.tsx'

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" }

const decoded = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name: string) => ENTITIES[name] as string)

/** A text without what a page makes of its spaces. */
export const spaced = (text: string): string => text.replace(/\s+/g, ' ').trim()

const IDLE = new Proxy({} as OperateAct, { get: () => () => {} })

export const markupOf = (state: DashboardState): string => renderToStaticMarkup(<Operate state={state} act={IDLE} />)

/** What a person reads or hears of a page: its texts, what fields hold, and the names of its pictures. */
export function textOf(markup: string): string {
  const named = [...markup.matchAll(/ (?:aria-label|value)="([^"]*)"/g)].map(([, name = '']) => name)
  // Pieces of one line have nothing between them, blocks have.
  const texts = markup.replace(/<\/?span\b[^>]*>/g, '').replace(/<[^>]*>/g, '\n')
  return spaced(decoded([texts, ...named].join('\n')))
}
