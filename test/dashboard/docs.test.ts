import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { describeState, drawScreen } from '../../src/cli/dashboard/terminal/screen.ts'
import { type Line, plainText } from '../../src/web/dashboard/line.ts'
import { UNICODE, WORDS_ONLY } from '../../src/web/dashboard/theme.ts'
import { SCREENS } from './screens.ts'

const FILE = fileURLToPath(new URL('../../docs/guides/operator/dashboard.md', import.meta.url))

/** What stands between a marker and its end is drawn: `-u` puts it there. */
const MARKED = /<!-- (screen|speech) (.+?)(?: (\d+)x(\d+))? -->\n[\s\S]*?<!-- end -->/g

function drawn(kind: string, name: string, columns: number, rows: number): readonly Line[] {
  const state = SCREENS[name]
  if (state === undefined) throw new Error(`there is no screen named ${name}`)
  if (kind === 'speech') return describeState(state, { glyphs: WORDS_ONLY, medium: 'speech' })
  return drawScreen(state, { glyphs: UNICODE, medium: 'screen' }, { columns, rows })
}

it('docs/guides/operator/dashboard.md shows the screens as they are drawn', async () => {
  const shown = readFileSync(FILE, 'utf8').replace(
    MARKED,
    (_, kind: string, name: string, columns = '0', rows = '0') => {
      const size = kind === 'speech' ? '' : ` ${columns}x${rows}`
      const text = drawn(kind, name, Number(columns), Number(rows)).map(plainText).join('\n').trimEnd()
      return `<!-- ${kind} ${name}${size} -->\n\n\`\`\`text\n${text}\n\`\`\`\n\n<!-- end -->`
    },
  )
  expect(shown.match(MARKED)?.length).toBeGreaterThan(12)
  await expect(shown).toMatchFileSnapshot(FILE)
})
