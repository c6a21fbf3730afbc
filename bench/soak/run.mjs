// Keeps a relay busy for long and watches it: npm run soak -- [--for 10m] [--makers 200] [--rounds 50] [--quotes 200] [--kill] [--nodes 1] [--json]
// The soak is TypeScript, which the oldest Node that we support does not run: it is bundled, loaded, and taken away again.
import { mkdirSync, rmSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { BIN, ROOT } from '../lab/relay.mjs'

// Inside node_modules, so that the packages are found and nothing else looks at it.
const dir = join(ROOT, 'node_modules', '.cache', `rfqctl-soak-${process.pid}`)
const file = join(dir, 'main.mjs')

async function load() {
  mkdirSync(dir, { recursive: true })
  try {
    const bundle = await rolldown({
      input: fileURLToPath(new URL('main.ts', import.meta.url)),
      platform: 'node',
      external: (id) => !id.startsWith('.') && !isAbsolute(id) && !id.startsWith('@rfqctl/'),
    })
    await bundle.write({ file, format: 'esm', codeSplitting: false })
    await bundle.close()
    return await import(pathToFileURL(file).href)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const { main } = await load()
await main({ bin: BIN, probe: new URL('probe.mjs', import.meta.url).href })
