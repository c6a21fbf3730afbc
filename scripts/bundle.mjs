// Puts the command line and the client into few files: to find and read 1,345 modules took Node 0.40 s of the start of a
// simulated maker, the bundle takes 0.08 s. Dynamic imports stay what they are, so that each command still loads only what it needs.
// Benchmarks, pictures and the contracts' vectors import single modules: they are in `dist/modules`, which is not published.
import { readdirSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { withoutDescriptions } from './without-descriptions.mjs'

const SRC = fileURLToPath(new URL('../src/', import.meta.url))

/** Packages of many small modules. All others stay in node_modules, where they find their own files. */
const OF_CLI =
  /^(viem|typebox|ox|abitype|@noble\/|@scure\/|isows|eventemitter3|commander|eventsource-parser|lowdb|steno)/

/** One small module, so that nobody installs a package for it. */
const OF_CLIENT = /^eventsource-parser/

const NONE = /^$/

/** Other workspaces are not published. */
const WORKSPACES = /^@rfqctl\//

/** What the bundler makes some syntax need, a package that is not installed: the build must fail then, and not who runs it. */
const HELPERS = '@oxc-project/runtime'

/** Bundles the command line and the client into folders of `dist`, and the modules beside. @param {string} dist */
export async function bundle(dist) {
  const modules = readdirSync(SRC, { recursive: true })
    .map(String)
    .filter((name) => /\.tsx?$/.test(name) && !/^web\/(?!dashboard\/)/.test(name))
  await write({ dist, folder: 'bundle', input: { main: join(SRC, 'cli', 'main.ts') }, bundled: OF_CLI })
  await write({ dist, folder: 'client', input: { index: join(SRC, 'client', 'index.ts') }, bundled: OF_CLIENT })
  await write({ dist, folder: 'modules', input: modules.map((name) => join(SRC, name)), bundled: NONE })
}

/** @param {{ dist: string, folder: string, input: string[] | Record<string, string>, bundled: RegExp }} program */
async function write({ dist, folder, input, bundled }) {
  const isWhole = Array.isArray(input)
  /** Where a module of `src` ends up, once `dist` is in its place. @param {string} id */
  const placeOf = (id) => join(SRC, '..', 'dist', folder, isWhole ? dirname(relative(SRC, id)) : '')
  /** A module looks for its files from where it is in `src`. */
  const keepPlaces = {
    name: 'keep-places',
    transform(/** @type {string} */ code, /** @type {string} */ id) {
      if (!id.startsWith(SRC) || !code.includes('import.meta.url')) return null
      const place = JSON.stringify(relative(placeOf(id), id))
      return code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`)
    },
  }
  const build = await rolldown({
    input,
    platform: 'node',
    external: (id) => !id.startsWith('.') && !isAbsolute(id) && !WORKSPACES.test(id) && !bundled.test(id),
    plugins: folder === 'client' ? [keepPlaces, withoutDescriptions] : [keepPlaces],
  })
  const kept = isWhole ? { preserveModules: true, preserveModulesRoot: SRC } : {}
  const { output } = await build.write({ dir: join(dist, folder), format: 'esm', ...kept })
  await build.close()
  for (const part of output)
    if (part.type === 'chunk' && part.imports.some((id) => id.startsWith(HELPERS)))
      throw new Error(`${part.fileName} needs ${HELPERS}, which no installation has`)
}
