import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { DECISIONS } from './decisions.ts'

const FOLDER = fileURLToPath(new URL('../../docs/internals/decisions/', import.meta.url))
const INDEX = `${FOLDER}README.md`

const FORM =
  /^# \d{4}\. [A-Z].*[^.]\n\n(?:<a id="[A-Z]\d{1,2}"><\/a>)*(?:Accepted|Superseded) \d{4}-\d{2}-\d{2}(?:, .+)?\n\n\*\*Context\.\*\* [\s\S]+\n\n\*\*Decision\.\*\* [\s\S]+\n\n\*\*Consequences\.\*\* [\s\S]+\n$/

/** A longer one is several decisions. */
const MOST_WORDS = 180

it('the index of decisions has each page, with the letters by which it is cited', async () => {
  const rows = DECISIONS.map(({ number, file, title, anchors }) =>
    `${number}. [${title}](${file}) ${anchors.join(', ')}`.trim(),
  )
  const [lead = ''] = readFileSync(INDEX, 'utf8').split('<!-- index -->')
  await expect(`${lead}<!-- index -->\n\n${rows.join('\n')}\n`).toMatchFileSnapshot(INDEX)
})

it('decisions are numbered from 0001, without a gap', () => {
  expect(DECISIONS.map(({ number }) => number)).toEqual(
    DECISIONS.map((_page, index) => String(index + 1).padStart(4, '0')),
  )
  expect(DECISIONS.filter(({ number, text }) => !text.startsWith(`# ${number}. `))).toEqual([])
})

it.each(DECISIONS.map(({ file, text }) => [file, text] as const))(
  '%s has a date, a context, a decision and its consequences, in short',
  (_file, text) => {
    expect(text).toMatch(FORM)
    expect(text.trim().split(/\s+/).length).toBeLessThanOrEqual(MOST_WORDS)
  },
)

it('decisions lead to pages that there are', () => {
  const links = DECISIONS.flatMap(({ file, text }) =>
    [...text.matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, path = '']) => ({ file, path })),
  )
  expect(links.length).toBeGreaterThan(20)
  expect(links.filter(({ path }) => !existsSync(`${FOLDER}${path}`))).toEqual([])
})
