import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { commandLines } from '../cli/help-texts.ts'
import { run } from '../cli/support.ts'
import { DOC_PAGES } from './pages.ts'

const ROOT = new URL('../../', import.meta.url)

/** Everything that tells people what to type. */
const PAGES = ['README.md', ...DOC_PAGES]

/** The command lines of a page: in its shell blocks, and in code within its text. */
function linesOf(page: string): string[] {
  const text = readFileSync(new URL(page, ROOT), 'utf8')
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) => block.split('\n'))
  const inline = [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`(rfqctl [^`]+)`/g)].map(([, line = '']) => line)
  return [...blocks, ...inline].flatMap((line) => {
    const [, command] = /(?:^|\s|\()(?:npx )?rfqctl ([a-z][^#|>)]*)/.exec(line) ?? []
    return command === undefined ? [] : [command.trim()]
  })
}

const cases = PAGES.flatMap((page) => [...new Set(linesOf(page))].map((line) => ({ page, line })))
/** The help of each command that a page names, made once. */
const helps = new Map<string, string>()

async function helpOf(path: string): Promise<string> {
  const help = helps.get(path) ?? (await run([...path.split(' '), '--help'])).stdout
  helps.set(path, help)
  return help
}

const paths = (await commandLines()).map(({ path }) => path).toSorted((a, b) => b.length - a.length)

describe('commands on the pages', () => {
  test('is looked at', () => {
    expect(cases.length).toBeGreaterThan(30)
  })

  test.each(cases)('"rfqctl $line" in $page is a command with options that there are', async ({ line }) => {
    const path = paths.find((candidate) => candidate !== '' && `${line} `.startsWith(`${candidate} `))
    expect(path).toBeDefined()
    const help = await helpOf(path ?? '')
    const options = [...line.matchAll(/\s(--[a-z-]+)/g)].map(([, option = '']) => option)
    expect(options.filter((option) => !help.includes(option))).toEqual([])
  })
})
