import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newFolder, removeFolder } from '../kit/folder.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const importing = (name: string) => `import { x } from '${name}'\n\nexport const y = x\n`

/** Files that break a rule of `npm run check`, and the rule. */
const REFUSED: readonly [what: string, path: string, source: string, rule: string][] = [
  ['an undeclared workspace', 'client/a.ts', importing('@rfqctl/relay/core/relay'), 'noUndeclaredDependencies'],
  ['an undeclared package', 'client/b.ts', importing('fastify'), 'noUndeclaredDependencies'],
  ['another workspace by its path', 'cli/maker/a.ts', importing('../../client/index.ts'), 'noRestrictedImports'],
  ['Node in the client', 'client/c.ts', importing('node:fs'), 'noNodejsModules'],
  ['messages in the domain', 'protocol/domain/a.ts', importing('../wire/fields.ts'), 'noRestrictedImports'],
  ['a package in the domain', 'protocol/domain/b.ts', importing('typebox'), 'noRestrictedImports'],
  ['the server in the rules', 'relay/core/a.ts', importing('../server/http-app.ts'), 'noRestrictedImports'],
  ['a store in the rules', 'relay/core/b.ts', importing('pg'), 'noRestrictedImports'],
  ['an adapter in the server', 'relay/server/a.ts', importing('../adapters/clock.ts'), 'noRestrictedImports'],
  ['settings in an adapter', 'relay/adapters/store/a.ts', importing('../../config/rules.ts'), 'noRestrictedImports'],
  ['a use case in an adapter', 'relay/adapters/store/b.ts', importing('../../core/commit.ts'), 'noRestrictedImports'],
  ['the client in the server', 'relay/server/b.ts', importing('@rfqctl/client/taker'), 'noRestrictedImports'],
  ['the process by its module', 'relay/adapters/c.ts', importing('node:process'), 'noRestrictedImports'],
  ['a timer in the rules', 'relay/core/c.ts', 'setTimeout(() => {}, 1)\n', 'noRestrictedGlobals'],
]

const ACCEPTED: readonly [what: string, path: string, source: string][] = [
  ['a declared workspace', 'client/d.ts', importing('@rfqctl/protocol/domain/order')],
  ['a rule in the rules', 'relay/core/d.ts', importing('./order.ts')],
  ['a port in an adapter', 'relay/adapters/a.ts', importing('../core/ports/chain.ts')],
]

let folder: string
let broken: { path: string; rule: string }[]

beforeAll(() => {
  folder = newFolder()
  cpSync(join(ROOT, 'biome.json'), join(folder, 'biome.json'))
  const workspaces = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const { name } of workspaces)
    cpSync(join(ROOT, 'src', name, 'package.json'), join(folder, 'src', name, 'package.json'))
  for (const [, path, source] of [...REFUSED, ...ACCEPTED]) {
    mkdirSync(dirname(join(folder, 'src', path)), { recursive: true })
    writeFileSync(join(folder, 'src', path), source)
  }
  const biome = join(ROOT, 'node_modules', '@biomejs', 'biome', 'bin', 'biome')
  const args = ['lint', '--vcs-enabled=false', '--reporter=json', '--max-diagnostics=none', 'src']
  const { stdout } = spawnSync(process.execPath, [biome, ...args], { cwd: folder, encoding: 'utf8' })
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { category: string; location: { path: string } }[] }
  broken = diagnostics.map(({ category, location }) => ({
    path: location.path,
    rule: category.split('/').at(-1) ?? '',
  }))
})
afterAll(() => removeFolder(folder))

const rulesBrokenBy = (file: string) => broken.filter(({ path }) => path === `src/${file}`).map(({ rule }) => rule)

test.each(REFUSED)('the linter refuses %s', (_, path, __, rule) => {
  expect(rulesBrokenBy(path)).toContain(rule)
})

test.each(ACCEPTED)('the linter accepts %s', (_, path) => {
  expect(rulesBrokenBy(path)).toEqual([])
})
