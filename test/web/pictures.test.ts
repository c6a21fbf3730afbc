import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PICTURES } from '../browser/gallery/pictures.ts'

const FOLDER = new URL('../../docs/web/', import.meta.url)
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.webp'))
const stateOf = (file: string) => file.replace(/-\d+-(?:light|dark)\.webp$/, '')

describe('the pictures of the pages', () => {
  it('show every sample state at every width, by day and by night, and nothing that is no longer drawn', () => {
    const names = PICTURES.map(({ name }) => name)
    const wanted = names.flatMap((name) =>
      [360, 768, 1280, 2560].flatMap((width) => ['light', 'dark'].map((scheme) => `${name}-${width}-${scheme}.webp`)),
    )
    expect(wanted.filter((name) => !files.includes(name))).toEqual([])
    const others = new Set(files.map(stateOf).filter((state) => !names.includes(state)))
    expect([...others].filter((state) => !state.startsWith('reference-'))).toEqual([])
  })

  it('are all listed', () => {
    const page = readFileSync(new URL('README.md', FOLDER), 'utf8')
    expect(files.filter((file) => !page.includes(`(${file})`))).toEqual([])
  })
})
