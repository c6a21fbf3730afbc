// Puts the command line into few files: to find and read 1,345 modules took Node 0.40 s of the start of a simulated maker,
// the bundle takes 0.08 s. Dynamic imports stay what they are, so that each command still loads only what it needs.
import { isAbsolute, join, relative } from 'node:path'
import { rolldown } from 'rolldown'

/** Packages of many small modules. All others stay in node_modules, where they find their own files. */
const BUNDLED =
  /^(viem|typebox|ox|abitype|@noble\/|@scure\/|isows|eventemitter3|commander|eventsource-parser|lowdb|steno)/

/** What the bundler makes some syntax need, a package that is not installed: the build must fail then, and not who runs it. */
const HELPERS = '@oxc-project/runtime'

/** Bundles the command line of a folder of compiled modules into its folder `bundle`. @param {string} dist */
export async function bundle(dist) {
  const out = join(dist, 'bundle')
  /** A module looks for its files from where it was, not from the bundle. */
  const keepPlaces = {
    name: 'keep-places',
    transform(/** @type {string} */ code, /** @type {string} */ id) {
      if (!id.startsWith(dist) || !code.includes('import.meta.url')) return null
      const place = relative(out, id)
      return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`)
    },
  }
  const build = await rolldown({
    input: { main: join(dist, 'cli', 'main.js') },
    platform: 'node',
    external: (id) => !id.startsWith('.') && !isAbsolute(id) && !BUNDLED.test(id),
    plugins: [keepPlaces],
  })
  const { output } = await build.write({ dir: out, format: 'esm' })
  await build.close()
  for (const part of output)
    if (part.type === 'chunk' && part.imports.some((id) => id.startsWith(HELPERS)))
      throw new Error(`${part.fileName} needs ${HELPERS}, which no installation has`)
}
