// Puts the command line and the client into few files: to find and read 1,345 modules took Node 0.40 s of the start of a
// simulated maker, the bundle takes 0.08 s. Dynamic imports stay what they are, so that each command still loads only what it needs.
import { isAbsolute, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const SRC = fileURLToPath(new URL('../src/', import.meta.url))

/** Packages of many small modules. All others stay in node_modules, where they find their own files. */
const OF_CLI =
  /^(viem|typebox|ox|abitype|@noble\/|@scure\/|isows|eventemitter3|commander|eventsource-parser|lowdb|steno)/

/** One small module, so that nobody installs a package for it. */
const OF_CLIENT = /^eventsource-parser/

/** Where a bundle lies once it is made: it is made in a folder beside. */
const PUBLISHED = fileURLToPath(new URL('../dist/bundle/', import.meta.url))

/** Other workspaces are not published. */
const WORKSPACES = /^@rfqctl\//

/** What the bundler makes some syntax need, a package that is not installed: the build must fail then, and not who runs it. */
const HELPERS = '@oxc-project/runtime'

/** Bundles the command line and the client into folders of `dist`. @param {string} dist */
export async function bundle(dist) {
  await write({ name: 'main', input: join(SRC, 'cli', 'main.ts'), out: join(dist, 'bundle'), bundled: OF_CLI })
  await write({ name: 'index', input: join(SRC, 'client', 'index.ts'), out: join(dist, 'client'), bundled: OF_CLIENT })
}

/** @param {{ name: string, input: string, out: string, bundled: RegExp }} program */
async function write({ name, input, out, bundled }) {
  /** A module looks for its files from where it is in `src`, which the package has in part. */
  const keepPlaces = {
    name: 'keep-places',
    transform(/** @type {string} */ code, /** @type {string} */ id) {
      if (!id.startsWith(SRC) || !code.includes('import.meta.url')) return null
      const place = relative(PUBLISHED, id)
      return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`)
    },
  }
  const build = await rolldown({
    input: { [name]: input },
    platform: 'node',
    external: (id) => !id.startsWith('.') && !isAbsolute(id) && !WORKSPACES.test(id) && !bundled.test(id),
    plugins: [keepPlaces],
  })
  const { output } = await build.write({ dir: out, format: 'esm' })
  await build.close()
  for (const part of output)
    if (part.type === 'chunk' && part.imports.some((id) => id.startsWith(HELPERS)))
      throw new Error(`${part.fileName} needs ${HELPERS}, which no installation has`)
}
