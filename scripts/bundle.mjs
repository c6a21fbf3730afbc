// Puts the command line into few files: to find and read 1,345 modules took Node 0.40 s of the start of a simulated maker,
// the bundle takes 0.08 s. Dynamic imports stay what they are, so that each command still loads only what it needs.
import { readdirSync, rmSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const DIST = fileURLToPath(new URL('../dist/', import.meta.url))
const OUT = `${DIST}bundle`

/** Packages of many small modules. All others stay in node_modules, where they find their own files. */
const BUNDLED =
  /^(viem|typebox|ox|abitype|@noble\/|@scure\/|isows|eventemitter3|commander|eventsource-parser|lowdb|steno)/

/** A module looks for its files from where it was, not from the bundle. */
const keepPlaces = {
  name: 'keep-places',
  transform(code, id) {
    if (!id.startsWith(DIST) || !code.includes('import.meta.url')) return null
    const place = relative(OUT, id)
    return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`)
  },
}

const bundle = await rolldown({
  input: { main: `${DIST}cli/main.js` },
  platform: 'node',
  external: (id) => !id.startsWith('.') && !isAbsolute(id) && !BUNDLED.test(id),
  plugins: [keepPlaces],
})
const { output } = await bundle.write({ dir: OUT, format: 'esm' })
await bundle.close()

// What an earlier build left; removed last, so that there is a whole bundle at any moment.
const written = new Set(output.map(({ fileName }) => fileName))
for (const name of readdirSync(OUT)) if (!written.has(name)) rmSync(join(OUT, name))
