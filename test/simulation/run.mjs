// Simulates whole venues by seed: npm run simulate -- --seed N
// The simulation is TypeScript, which the oldest Node that we support does not run: it is bundled, loaded, and taken away again.
import { mkdirSync, rmSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

// Inside node_modules, so that the packages are found and nothing else looks at it.
const dir = join(ROOT, 'node_modules', '.cache', `rfqctl-simulation-${process.pid}`)

/** A module looks for its files from where it is. */
const keepPlaces = {
  name: 'keep-places',
  transform: (/** @type {string} */ code, /** @type {string} */ id) =>
    code.includes('import.meta.url')
      ? code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      : null,
}

async function load() {
  const file = join(dir, 'main.mjs')
  mkdirSync(dir, { recursive: true })
  try {
    const bundle = await rolldown({
      input: fileURLToPath(new URL('main.ts', import.meta.url)),
      platform: 'node',
      external: (id) => !id.startsWith('.') && !isAbsolute(id) && !id.startsWith('@rfqctl/'),
      plugins: [keepPlaces],
    })
    await bundle.write({ file, format: 'esm', codeSplitting: false })
    await bundle.close()
    return await import(pathToFileURL(file).href)
  } finally {
    if (process.env.KEEP_BUNDLE === undefined) rmSync(dir, { recursive: true, force: true })
  }
}

const { main } = await load()
await main(process.argv.slice(2))
