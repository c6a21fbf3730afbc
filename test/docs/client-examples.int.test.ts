import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { tagsOf } from './client/docblock.ts'
import { clientExports } from './client/extract.ts'
import { DOC_PAGES } from './pages.ts'
import { importedBy, snippetsOf } from './snippets.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** What docs/reference/client/README.md and the guides say that examples take for given. */
const GIVEN = `
import type * as client from 'rfqctl/client'
declare global {
  const taker: client.TakerClient
  const maker: client.MakerClient
  const operator: client.OperatorClient
  const user: client.AccountClient
  const keeper: client.Keeper
  const log: client.LogClient
  const relayer: client.RelayerClient
  const calls: client.ContractCalls
  const request: client.TakerRequest
  const commitment: client.CommittedTrade
  const announced: client.AnnouncedRequest
  const acceptance: client.SignatureRequest
  const fill: client.GaslessFill
  const orderHash: client.Hex
  const seriesId: client.SeriesId
  const series: client.ListedSeries
  const bestQuote: client.ShownQuote
  const wallet: client.Address
  const signal: AbortSignal
}
`

/** Every example, named by whose it is. */
const examples = clientExports().flatMap(({ name, doc, shapes }) => {
  const members = shapes.flatMap(({ properties }) => properties)
  const docs = [{ path: name, doc }, ...members.map((member) => ({ path: `${name}.${member.name}`, doc: member.doc }))]
  return docs.flatMap(({ path, doc }) => tagsOf(doc, 'example').map(({ text }) => ({ path, text })))
})

/** The programs that guides show in parts. */
const snippets = DOC_PAGES.filter((page) => page.startsWith('docs/guides/')).flatMap((page) =>
  snippetsOf(page, { languages: ['js', 'ts'] }),
)

/** The programs of examples/javascript: people begin theirs with a copy of one, and some of them write TypeScript. */
const PROGRAMS = join(ROOT, 'examples', 'javascript')

it('every example of the client library and of the guides, and each program of examples, is TypeScript that a strict compiler takes', async () => {
  const programs = readdirSync(PROGRAMS)
  expect(examples.length).toBeGreaterThan(50)
  expect(new Set(snippets.map(({ page }) => page))).toContain('docs/guides/maker.md')
  expect(programs).toContain('maker.mjs')
  // Inside node_modules, so that viem is found and nothing else looks at it.
  const folder = join(ROOT, 'node_modules', '.cache', 'rfqctl-examples', String(process.pid))
  mkdirSync(folder, { recursive: true })
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'given.d.ts'), GIVEN)
  for (const { path, text } of examples) {
    writeFileSync(join(folder, `${path}.ts`), `${text}\nexport {}\n`)
  }
  for (const snippet of snippets) {
    const names = importedBy(snippet)
    const file = `${snippet.page.replaceAll('/', '.')}.${snippet.line}.ts`
    // On one line, so that the compiler's lines are those of the page, counted from the block.
    const imports = names.length === 0 ? '' : `import { ${names.join(', ')} } from 'rfqctl/client'; `
    writeFileSync(join(folder, file), `${imports}${snippet.text}\nexport {}\n`)
  }
  for (const file of programs) copyFileSync(join(PROGRAMS, file), join(folder, `${parse(file).name}.program.mts`))
  const compilerOptions = {
    noEmit: true,
    noUnusedLocals: false,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules', '@types')],
    paths: { 'rfqctl/client': [join(ROOT, 'src', 'client', 'index.ts')] },
  }
  const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['*.ts', '*.mts'], exclude: [] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const argv = [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '--pretty', 'false', '-p', folder]
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, argv, { cwd: folder }, (error, stdout, stderr) =>
      resolve(error === null ? '' : `${stdout}${stderr}`),
    )
  })
  expect(said).toBe('')
})
