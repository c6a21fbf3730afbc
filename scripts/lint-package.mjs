/**
 * Looks at both packages as npm would publish them: their shape (publint), the links of pages, and the types as a TypeScript
 * project meets them.
 */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
const CONSUMER = join(ROOT, 'scripts', 'package-consumer.ts')

/** How projects resolve packages: as Node does, and as bundlers for browsers do. Neither knows the types of Node. */
const RESOLUTIONS = [
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'esnext', moduleResolution: 'bundler' },
]

/** Pictures of pages, which the package leaves out: they are megabytes. */
const LEFT_OUT = /(?:^|\/)(?:web|pictures)\/[\w-]+\.webp$/

/** What is published: from where, and by which name it is imported. */
const PACKAGES = [
  { name: 'rfqctl', from: ROOT, client: 'rfqctl/client' },
  { name: '@rfqctl/client', from: join(ROOT, 'dist', 'client'), client: '@rfqctl/client' },
]

for (const { name, from, client } of PACKAGES) {
  const folder = mkdtempSync(join(tmpdir(), 'rfqctl-package-'))
  try {
    const tarball = pack(from, folder)
    await lintShape(tarball)
    install(tarball, { folder, name, client, from })
    if (from === ROOT) {
      lintLinks(join(folder, 'node_modules', name))
      lintPages(join(folder, 'node_modules', name, 'dist', 'web'))
    }
    for (const resolution of RESOLUTIONS) checkTypes(folder, resolution)
    runPlainly(folder, client)
    console.log(`${name}: sound, and its types hold for ${RESOLUTIONS.length} ways to resolve it`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What `npm publish` would send. @param {string} from @param {string} folder */
function pack(from, folder) {
  const argv = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const [{ filename }] = JSON.parse(
    execFileSync('npm', argv, { cwd: from, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  return join(folder, filename)
}

/** @param {string} tarball */
async function lintShape(tarball) {
  const bytes = readFileSync(tarball)
  const copy = new Uint8Array(bytes).buffer
  const { messages, pkg } = await publint({ strict: true, pack: { tarball: copy } })
  if (messages.length === 0) return
  throw new Error(`publint:\n${messages.map((message) => `  ${formatMessage(message, pkg)}`).join('\n')}`)
}

/**
 * Unpacks it where a project would have it, with our copies of what it depends on.
 * @param {string} tarball
 * @param {{ folder: string, name: string, client: string, from: string }} place
 */
function install(tarball, { folder, name: published, client, from }) {
  const modules = join(folder, 'node_modules')
  mkdirSync(modules)
  execFileSync('tar', ['-xzf', tarball, '-C', modules])
  cpSync(join(modules, 'package'), join(modules, published), { recursive: true })
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
  for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  }
  writeFileSync(join(folder, 'consumer.ts'), readFileSync(CONSUMER, 'utf8').replaceAll('rfqctl/client', client))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
}

/** Whoever has the package and nothing else can follow what its pages point to. @param {string} home */
function lintLinks(home) {
  const dead = readdirSync(home, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) => {
      const text = readFileSync(join(home, name), 'utf8')
      const targets = [...text.matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, target = '']) => target)
      return targets
        .filter((target) => !LEFT_OUT.test(target) && !existsSync(join(home, dirname(name), target)))
        .map((target) => `${name}: ${target}`)
    })
  if (dead.length > 0) throw new Error(`links that lead nowhere in the package:\n  ${dead.join('\n  ')}`)
}

/** The pages, and each file that they name, compressed too: a relay serves what is there. @param {string} home */
function lintPages(home) {
  const page = readFileSync(join(home, 'index.html'), 'utf8')
  const manifest = Object.values(JSON.parse(readFileSync(join(home, 'manifest.json'), 'utf8')))
  const named = [
    ...[...page.matchAll(/(?:src|href)="\/web\/([^"]+)"/g)].map(([, name = '']) => name),
    ...manifest.flatMap(({ file, css = [] }) => [file, ...css]),
  ]
  const files = [...new Set(named)].flatMap((name) => [name, `${name}.gz`, `${name}.br`])
  const missing = files.filter((name) => !existsSync(join(home, name)))
  if (named.length === 0 || missing.length > 0) throw new Error(`the pages lack:\n  ${missing.join('\n  ')}`)
}

/** @param {string} folder @param {{ module: string, moduleResolution: string }} resolution */
function checkTypes(folder, resolution) {
  const compilerOptions = {
    ...resolution,
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.asynciterable'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
  try {
    execFileSync(process.execPath, [TSC, '-p', folder], { encoding: 'utf8' })
  } catch (/** @type {any} */ error) {
    throw new Error(`the types of the package (${resolution.moduleResolution}):\n${error.stdout}`)
  }
}

/** Plain JavaScript gets both clients from it. @param {string} folder @param {string} client */
function runPlainly(folder, client) {
  const script = `
    import { createMakerClient, createTakerClient } from '${client}'
    if (typeof createTakerClient !== 'function' || typeof createMakerClient !== 'function') process.exit(1)`
  execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: folder, stdio: 'inherit' })
}
