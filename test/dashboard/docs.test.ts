import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { drawScreen } from '../../src/cli/dashboard/terminal/screen.ts'
import { type Line, plainText } from '../../src/web/dashboard/line.ts'
import { UNICODE } from '../../src/web/dashboard/theme.ts'
import { SCREENS } from './screens.ts'

const FILE = fileURLToPath(new URL('../../docs/guides/operator/dashboard.md', import.meta.url))

/** A screen between its marks: `-u` draws it again. */
const MARKED = /<!-- screen (.+?) (\d+)x(\d+) -->\n[\s\S]*?<!-- end -->/g

function drawn(name: string, columns: number, rows: number): readonly Line[] {
  const state = SCREENS[name]
  if (state === undefined) throw new Error(`there is no screen named ${name}`)
  return drawScreen(state, { glyphs: UNICODE, medium: 'screen' }, { columns, rows })
}

it('docs/guides/operator/dashboard.md shows the screens as they are drawn', async () => {
  const shown = readFileSync(FILE, 'utf8').replace(MARKED, (_, name: string, columns: string, rows: string) => {
    const text = drawn(name, Number(columns), Number(rows)).map(plainText).join('\n').trimEnd()
    return `<!-- screen ${name} ${columns}x${rows} -->\n\n\`\`\`text\n${text}\n\`\`\`\n\n<!-- end -->`
  })
  expect(shown.match(MARKED)?.length).toBeGreaterThan(0)
  await expect(shown).toMatchFileSnapshot(FILE)
})
