import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'
import { expect, it } from 'vitest'

const SRC = fileURLToPath(new URL('../../src/', import.meta.url))

/** Private metaphors, with the word that docs/reference/glossary.md or the field has for it. */
const DENIED: Readonly<Record<string, string>> = {
  accountant: 'hedger',
  cast: 'roles',
  climb: 'try candidates',
  closers: 'cleanup stack',
  crowd: 'simulated takers',
  dealer: 'quoter',
  desk: 'request tracker',
  dialler: 'connection pool',
  door: 'route context',
  ear: 'client',
  fleet: 'cluster',
  forger: 'invalid signer',
  ground: 'backend, target',
  guest: 'client',
  happening: 'event',
  house: 'app, relay',
  leftover: 'orphan',
  lifeline: 'parent-death pipe',
  mood: 'plan',
  narrator: 'reporter',
  patient: 'context of the doctor',
  player: 'maker',
  reap: 'end',
  rung: 'candidate',
  seat: 'subscription',
  tally: 'stats',
  thaw: 'resume',
  toy: 'development account',
  trail: 'audit log',
  villain: 'faulty maker',
  wall: 'boundary',
  whim: 'random choice',
}

const wordsIn = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)

const deniedIn = (name: string): string[] =>
  wordsIn(name).flatMap((word) => {
    const denied = [word, word.replace(/s$/, '')].find((form) => Object.hasOwn(DENIED, form))
    return denied === undefined ? [] : [`${name}: ${DENIED[denied]}`]
  })

type Node = { type?: string; id?: { type?: string; name?: string } | null; key?: { name?: string } }

/** What a file declares: functions, variables, types and the fields of types. */
function declaredIn(source: string): string[] {
  const found: string[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, id, key } = node as Node
    if (/^(?:FunctionDeclaration|VariableDeclarator|TSTypeAliasDeclaration)$/.test(type ?? '')) {
      if (id?.type === 'Identifier' && id.name !== undefined) found.push(id.name)
    }
    if (/^TS(?:Property|Method)Signature$/.test(type ?? '') && key?.name !== undefined) found.push(key.name)
    for (const inner of Object.values(node)) visit(inner)
  }
  visit(parseSync('file.tsx', source).program)
  return found
}

it('files and what they declare have the names of the field', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
  const names = files.flatMap((file) => declaredIn(readFileSync(`${SRC}${file}`, 'utf8')))
  expect(names.length).toBeGreaterThan(4_000)
  expect([...files, ...new Set(names)].flatMap(deniedIn)).toEqual([])
})

it('finds a metaphor in any spelling', () => {
  expect(['openHouse', 'HOUSE_RULES', 'cli/house/chain.ts', 'toys'].flatMap(deniedIn)).toHaveLength(4)
  expect(['warehouse', 'playerless', 'heard', 'background'].flatMap(deniedIn)).toEqual([])
  expect(declaredIn('const openHouse = (a: number): void => {}; type Door = { seat: number }')).toEqual([
    'openHouse',
    'Door',
    'seat',
  ])
})
