import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { run, temporaryDir } from '../support.ts'
import { type Leaf, leaves } from './leaves.ts'

type BadLine = { path: string; why: string; line: readonly string[] }

const lines = (await leaves()).flatMap(badLinesOf)

/** Every way in which a command can be misused that the tree itself tells. */
function badLinesOf({ path, words, command, good }: Leaf): BadLine[] {
  const args = command.registeredArguments
  const placeholders = args.filter(({ required }) => required).map(() => '@1')
  const options = command.options.filter(({ hidden }) => !hidden)
  return [
    { path, why: 'an unknown flag', line: [...good, '--nonsense'] },
    ...(args.some(({ variadic }) => variadic)
      ? []
      : [{ path, why: 'too many arguments', line: [...good, ...args.map(() => 'more'), 'more'] }]),
    ...(placeholders.length === 0 ? [] : [{ path, why: 'too few arguments', line: words }]),
    ...(options.some(({ mandatory }) => mandatory)
      ? [{ path, why: 'a flag that it needs is missing', line: [...words, ...placeholders] }]
      : []),
    ...options
      .filter(({ required }) => required)
      .map(({ long }) => ({ path, why: `${long} without a value`, line: [...good, long ?? ''] })),
    ...options
      .filter(({ parseArg }) => parseArg !== undefined)
      .map(({ long }) => ({ path, why: `${long} of the wrong kind`, line: [...good, `${long}=wrong`] })),
  ]
}

test('the tree tells many ways to misuse it, or nothing would have been tried', () => {
  expect(lines.length).toBeGreaterThan(250)
})

test.each(lines)('rfqctl $path is refused with 2, and nothing is done: $why', async ({ path, line }) => {
  const cwd = temporaryDir()
  const { code, stdout, stderr } = await run(line, { cwd })
  expect({ code, stdout, left: readdirSync(cwd) }).toEqual({ code: 2, stdout: '', left: [] })
  expect(stderr).toMatch(/^error: .+\n {2}try: .+\n$/)
  // A command above that takes the same option reads it.
  const named = path.split(' ').map((_, index, words) => words.slice(0, index + 1).join(' '))
  expect(stderr).toMatch(new RegExp(`try: (rfqctl (${named.join('|')}) --help|did you mean )`))
})
