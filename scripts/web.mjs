/**
 * Builds the pages with Vite: `dist/web/index.html`, the shell that loads what its address names, `manifest.json` to find what
 * the reference page loads, and `assets` under hashed names, each beside itself as gzip and Brotli so that no relay
 * compresses anything.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { withoutDescriptions } from './without-descriptions.mjs'

const ROOT = fileURLToPath(new URL('../src/web/', import.meta.url))

/** Brotli takes seconds at its best, and tenths of one at nearly its best. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

/**
 * One file of all that several pages load: each file costs its heads on the wire, and a small one compresses badly. Apart stay the
 * curves that sign, which only the account of a sandbox needs, and the one part that the small reference page shares.
 */
const SHARED = [
  { name: 'event-stream', test: /eventsource-parser/, priority: 1 },
  { name: 'common', test: /^(?!.*@noble)/, minShareCount: 2 },
]

/** Builds the pages into a folder. @param {string} outDir */
export async function buildWeb(outDir) {
  // Whoever builds this, a test for instance: the other half of React is for who develops with it.
  process.env.NODE_ENV = 'production'
  await build({
    configFile: false,
    envFile: false,
    root: ROOT,
    base: '/web/',
    logLevel: 'error',
    plugins: [withoutDescriptions],
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      manifest: 'manifest.json',
      // The policy of the pages lets no script or picture come from within them.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 1_000,
      rolldownOptions: {
        input: ['index.html', 'reference/main.ts'].map((name) => join(ROOT, name)),
        // The module that exports all of the client would bring what a page loads later into its first load.
        treeshake: { moduleSideEffects: [{ test: /[\\/]src[\\/](?:client|protocol|lib)[\\/]/, sideEffects: false }] },
        output: { codeSplitting: { groups: SHARED } },
      },
    },
  })
  const assets = join(outDir, 'assets')
  for (const name of readdirSync(assets)) {
    const bytes = readFileSync(join(assets, name))
    writeFileSync(join(assets, `${name}.gz`), gzipSync(bytes, { level: 9 }))
    writeFileSync(join(assets, `${name}.br`), brotliCompressSync(bytes, BROTLI))
  }
}
