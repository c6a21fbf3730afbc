/**
 * Builds `dist` from `src`, when it is not already what the sources make: the bundle of the command line, the client with its
 * types, and the pages of `src/web`. Whoever needs the build calls it: `npm run build`, `npm ci` by way of `postprepare`,
 * `npm pack`, the first call of a clone that was installed without scripts. Several may do so at once: one builds, in a folder
 * beside, and the others wait.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const DIST = join(ROOT, 'dist')
/** What `dist` was made from. */
const STAMP = join('dist', 'sources.sha256')
/** Is there while somebody builds, and holds what is being made. */
const SITE = join(ROOT, '.building')
/** What builds it, first the compiler; some of it comes with other packages also where ours for development were left out. */
const TOOLS = ['typescript/bin/tsc', '@types/node', 'rolldown', 'vite', 'react-dom']
/** What it is made from. */
export const INPUTS = ['src', 'scripts', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json']

/** What the client needs of other packages: all else is in its bundle. */
const CLIENT_NEEDS = ['typebox', 'viem', 'ws']

/** How soon another build is looked at again, and how long one may be there without having said who makes it. */
const PAUSE_MS = 100
const NAMELESS_MS = 10_000

const run = promisify(execFile)

/**
 * Resolves when `dist` is what the sources make, and to whether this call made it.
 * @param {(text: string) => void} [say] hears what takes its time
 */
export async function build(say = () => {}) {
  let isTold = false
  while (!isCurrent()) {
    if (takeSite()) {
      try {
        if (!isCurrent()) await make(say)
      } finally {
        rmSync(SITE, { recursive: true, force: true })
      }
      return true
    }
    if (!isTold) say('another process builds it, waiting')
    isTold = true
    await wait(PAUSE_MS)
  }
  return false
}

/** By content, because a checkout gives every file a new time. */
const isCurrent = () => {
  try {
    return readFileSync(join(ROOT, STAMP), 'utf8') === digest() && existsSync(join(DIST, 'bundle', 'main.js'))
  } catch {
    return false
  }
}

function digest() {
  const hash = createHash('sha256')
  for (const input of INPUTS) {
    const path = join(ROOT, input)
    const names = statSync(path).isDirectory() ? readdirSync(path, { recursive: true }).map(String).sort() : ['']
    for (const name of names) {
      const file = join(path, name)
      if (statSync(file).isFile()) hash.update(`${input}/${name}\0`).update(readFileSync(file)).update('\0')
    }
  }
  return hash.digest('hex')
}

/** Whether the build is ours to make. A site whose builder was killed is cleared away first. */
function takeSite() {
  try {
    mkdirSync(SITE)
  } catch (/** @type {any} */ error) {
    if (error.code !== 'EEXIST') throw new Error(`nothing can be built here: ${error.message}`)
    if (isDeserted()) rmSync(SITE, { recursive: true, force: true })
    return false
  }
  writeFileSync(join(SITE, 'pid'), String(process.pid))
  return true
}

function isDeserted() {
  try {
    process.kill(Number(readFileSync(join(SITE, 'pid'), 'utf8')), 0)
    return false
  } catch (/** @type {any} */ error) {
    if (error.code === 'ESRCH') return true
    // It says no name yet, or is gone already.
    const madeAt = statSync(SITE, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    return error.code === 'ENOENT' && Date.now() - madeAt > NAMELESS_MS
  }
}

/** What is there stays whole until the new one takes its place, and none is ever half written. @param {(text: string) => void} say */
async function make(say) {
  const made = join(SITE, 'dist')
  const stamp = digest()
  say('compiling')
  await compileTypes(join(made, 'client', 'types'))
  say('bundling')
  const [{ bundle }, { buildWeb }] = await Promise.all([import('./bundle.mjs'), import('./web.mjs')])
  await bundle(made)
  addManifest(join(made, 'client'))
  await buildWeb(join(made, 'web'))
  writeFileSync(join(SITE, STAMP), stamp)
  if (existsSync(DIST)) renameSync(DIST, join(SITE, 'before'))
  renameSync(made, DIST)
}

/** The types of the client, and of what it shows of other workspaces. @param {string} outDir */
async function compileTypes(outDir) {
  const [tsc, ...others] = TOOLS.map((name) => join(ROOT, 'node_modules', name))
  if (![tsc, ...others].every((tool) => existsSync(tool)))
    throw new Error('what builds it is not installed\n  try: npm ci')
  try {
    await run(process.execPath, [tsc, '-p', join(ROOT, 'tsconfig.build.json'), '--outDir', outDir])
  } catch (/** @type {any} */ error) {
    throw new Error(`the build fails:\n${error.stdout}${error.stderr}`)
  }
  for (const name of readdirSync(outDir, { recursive: true }).map(String)) {
    const file = join(outDir, name)
    if (!statSync(file).isFile()) continue
    // Other workspaces are not published: their types lie beside.
    const here = (/** @type {string} */ _, /** @type {string} */ path) =>
      `'${nameFrom(dirname(file), join(outDir, path))}.js'`
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/'@rfqctl\/([^']+)'/g, here))
  }
}

/** Makes a folder a package of its own, @rfqctl/client, of the version that the whole has. @param {string} folder */
function addManifest(folder) {
  const read = (/** @type {string} */ path) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
  const { version, license, engines } = read('package.json')
  const { name, description, type, dependencies: own } = read('src/client/package.json')
  const pinned = { ...read('src/protocol/package.json').dependencies, ...own }
  const dependencies = Object.fromEntries(CLIENT_NEEDS.map((needed) => [needed, `^${pinned[needed]}`]))
  const exports = {
    '.': { types: './types/client/index.d.ts', default: './index.js' },
    './package.json': './package.json',
  }
  const manifest = { name, version, description, license, type, engines, exports, sideEffects: false, dependencies }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  copyFileSync(join(ROOT, 'src/client/PACKAGE.md'), join(folder, 'README.md'))
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
}

/** @param {string} folder @param {string} path */
const nameFrom = (folder, path) => relative(folder, path).replace(/^(?!\.)/, './')

/** Tells on stderr what is being done; on a terminal with the time it takes, so that nobody wonders. */
export function createTeller(stream = process.stderr) {
  const begun = Date.now()
  let doing = ''
  const seconds = () => `${Math.round((Date.now() - begun) / 1_000)} s`
  const tick = () => stream.write(`\r  ${doing} ... ${seconds()} `)
  const timer = stream.isTTY ? setInterval(tick, 1_000) : undefined
  timer?.unref()
  return {
    /** @param {string} text */
    say: (text) => {
      if (stream.isTTY && doing !== '') stream.write('\n')
      doing = text
      if (stream.isTTY) tick()
      else stream.write(`  ${text}\n`)
    },
    done: () => {
      clearInterval(timer)
      if (doing !== '') stream.write(`${stream.isTTY ? '\n' : ''}  built in ${seconds()}\n`)
    },
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const teller = createTeller()
  try {
    await build(teller.say)
    teller.done()
  } catch (/** @type {any} */ error) {
    console.error(`error: ${error.message}`)
    process.exitCode = 1
  }
}
