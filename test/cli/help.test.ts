import { describe, expect, test } from 'vitest'
import { commandLines, examplesOf } from './help-texts.ts'
import { run } from './support.ts'

const paths = await commandLines()

test('the tree is not empty, or nothing would have been looked at', () => {
  expect(paths.filter(({ isLeaf }) => isLeaf).length).toBeGreaterThan(25)
})

test.each(paths)('rfqctl $path --help', async ({ path }) => {
  const { code, stdout, stderr } = await run([...words(path), '--help'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatchSnapshot()
})

describe('every command', () => {
  test.each(paths.filter(({ isLeaf }) => isLeaf))('has an example of its own: rfqctl $path', async ({ path }) => {
    const examples = await examplesOf(path)
    expect(examples.length).toBeGreaterThan(0)
    expect(examples.every((example) => example.startsWith(`rfqctl ${path}`))).toBe(true)
  })
})

const words = (path: string): string[] => path.split(' ').filter((word) => word !== '')
