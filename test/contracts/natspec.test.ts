import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const SOURCES = join(import.meta.dirname, '../../contracts/src')
const DECLARATION = /((?:^ *\/\/\/.*\n)+) *(function|event|error) (\w+)\(([^)]*)\)([^;{]*)[;{]/gm
const interfaces = readdirSync(SOURCES).filter((name) => /^I[A-Z]/.test(name))

describe('NatSpec', () => {
  it('titles each contract, library and interface by its name', () => {
    const untitled = readdirSync(SOURCES).flatMap((file) =>
      [...read(file).matchAll(/^(?:abstract )?(?:contract|library|interface) (\w+)/gm)]
        .map(([, name = '']) => name)
        .filter((name) => !read(file).includes(`/// @title ${name}\n`)),
    )
    expect(untitled).toEqual([])
  })

  it.each(interfaces)('describes each parameter and result of %s', (file) => {
    const declarations = [...read(file).matchAll(DECLARATION)]
    expect(declarations.length).toBe(read(file).match(/^ *(?:function|event|error) /gm)?.length)
    const missing = declarations.flatMap(([, doc = '', , name, parameters = '', rest = '']) => {
      const results = /returns \(([^)]*)\)/.exec(rest)?.[1]
      const tags = [
        ...namesIn(parameters).map((parameter) => `@param ${parameter} `),
        ...(results === undefined ? [] : namesIn(results).map((result) => `@return ${result}`)),
      ]
      return tags.filter((tag) => !doc.includes(tag)).map((tag) => `${name}: ${tag}`)
    })
    expect(missing).toEqual([])
  })
})

const read = (file: string): string => readFileSync(join(SOURCES, file), 'utf8')

/** The names of a list of parameters; an empty string for a result without one. */
function namesIn(list: string): string[] {
  if (list.trim() === '') return []
  return list.split(',').map((item) => {
    const words = item
      .trim()
      .split(/\s+/)
      .filter((word) => !['calldata', 'memory', 'indexed'].includes(word))
    return words[1] === undefined ? '' : `${words[1]}`
  })
}
