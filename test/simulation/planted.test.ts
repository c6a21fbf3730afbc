import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { PLANTED } from './planted.mjs'

const sourceOf = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8')

it.each(PLANTED.flatMap(({ name, edits = [] }) => edits.map((edit) => ({ name, ...edit }))))(
  'an edit of the planted fault “$name” has one place in $file',
  ({ file, find }) => {
    expect(sourceOf(file).split(find)).toHaveLength(2)
  },
)
