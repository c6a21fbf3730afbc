import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const DOCS = new URL('../../docs/', import.meta.url)

const PAGES = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.md') && name !== 'README.md' && !/decisions\/\d/.test(name))
  .sort()

/** Each page is in the first section that takes it. The page of decisions leads to each of them (decisions.test.ts). */
const SECTIONS: readonly { title: string; takes: RegExp }[] = [
  { title: 'Start and concepts', takes: /^(?:start\.md$|concepts\/)/ },
  { title: 'Guides', takes: /^guides\/[^/]+$/ },
  { title: 'Operators', takes: /^guides\/operator\// },
  { title: 'Client library', takes: /^reference\/client\// },
  { title: 'Reference', takes: /^reference\// },
  { title: 'Contributors', takes: /./ },
]

/** The reader of a page, whom its section and title name already, and the announcement of what follows. */
const READER = /^For .*?: (?:after (?:this page|ten minutes) (?:you (?:know|can) )?)?/

/** A line for a page: its title, and the first sentence after it without its reader. */
function lineOf(name: string): string {
  const text = readFileSync(new URL(name, DOCS), 'utf8')
  const [, title = '', lead = ''] = /^# (.+)\n\n((?:[^\n#|<-][^\n]*\n)+)?/.exec(text) ?? []
  const [sentence = ''] = /^.*?\.(?=\s|$)/.exec(lead.replace(/\s+/g, ' ').trim()) ?? []
  const about = sentence
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(READER, '')
    .replace(/\.$/, '')
  return `- [${title}](${name})${about === '' ? '' : `: ${about}`}`
}

function index(): string {
  const lists = SECTIONS.map(({ title, takes }) => {
    const own = PAGES.filter((name) => SECTIONS.find((section) => section.takes.test(name))?.takes === takes)
    return `## ${title}\n\n${own.map(lineOf).join('\n')}\n`
  })
  return `# rfqctl

> A non-custodial request-for-quote relay for options on binary prediction markets: takers ask, makers compete and sign, trades settle on chain.

A running relay has its API at \`/openapi.json\` and \`/asyncapi.json\`. This list is made from the pages: \`npm run docs\`.

${lists.join('\n')}`
}

it('docs/llms.txt leads to every page of docs, as llmstxt.org has it', async () => {
  await expect(index()).toMatchFileSnapshot('../../docs/llms.txt')
})

it('each of its lines says what the page is for', () => {
  const lines = PAGES.map(lineOf)
  expect(lines.length).toBeGreaterThan(30)
  expect(lines.filter((line) => !/^- \[.+\]\(.+\): .+/.test(line))).toEqual([])
})
