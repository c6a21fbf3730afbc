import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

type Plugin = { transform: (code: string, id: string) => string | null }

const { withoutDescriptions }: { withoutDescriptions: Plugin } = await import(
  new URL('../../scripts/without-descriptions.mjs', import.meta.url).href
)

const transform = (code: string, id = 'field.ts') => withoutDescriptions.transform(code, id)

test('a described schema is the bare one, at any depth', () => {
  const nested = "const a = { b: described(Type.Object({ c: described(Text, 'One.', 1) }), 'Two.') }"
  expect(transform(nested)).toBe('const a = { b: Type.Object({ c: Text }) }')
  expect(transform("nullable(described(Count, field.count))\nconst d: string = 'described'")).toBe(
    "nullable(Count)\nconst d: string = 'described'",
  )
})

test('other code stays as it is', () => {
  expect(transform('const a = 1')).toBeNull()
  expect(transform("described(Text, 'One.')", 'page.tsx')).toBeNull()
})

test('no description of a field is left', () => {
  const path = fileURLToPath(new URL('../../src/protocol/wire/field.ts', import.meta.url))
  const code = readFileSync(path, 'utf8')
  expect(code).toContain('Id of the quote request.')
  expect(transform(code, path)).not.toMatch(/described\(|'[A-Z][a-z]+ .*\.'/)
})
