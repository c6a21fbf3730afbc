import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ASSETS_PATH, type WebAsset, type WebFiles } from '../server/pages/files.ts'

/** Same relative path from the sources as from the build. */
const FOLDER = fileURLToPath(new URL('../../../dist/web/', import.meta.url))

/** Only files of these types are served. */
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.png': 'image/png',
}

/** `imports` are keys of other entries of the build's manifest. */
type ManifestEntry = { file: string; css?: readonly string[]; imports?: readonly string[] }

const REFERENCE_ENTRY = 'reference/main.ts'

/** Null where the pages were not built. */
export function readWebFiles(folder: string = FOLDER): WebFiles | null {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Record<string, ManifestEntry>
    return {
      page: readFileSync(join(folder, 'index.html')),
      assets: readAssets(join(folder, 'assets')),
      reference: referenceOf(manifest),
    }
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw fault
  }
}

function readAssets(folder: string): ReadonlyMap<string, WebAsset> {
  const names = readdirSync(folder).filter((name) => extname(name) in TYPES)
  const read = (name: string) => readFileSync(join(folder, name))
  return new Map(
    names.map((name) => {
      const type = TYPES[extname(name)] as string
      return [name, { type, bytes: read(name), gzip: read(`${name}.gz`), brotli: read(`${name}.br`) }]
    }),
  )
}

function referenceOf(manifest: Record<string, ManifestEntry>): WebFiles['reference'] {
  const entry = manifest[REFERENCE_ENTRY]
  if (entry === undefined) return { scripts: [], styles: [] }
  const pathOf = (file: string) => `${ASSETS_PATH}${file.replace(/^assets\//, '')}`
  // Parts may import each other, so each is visited once; the set grows during the loop.
  const parts = new Set([REFERENCE_ENTRY])
  for (const part of parts) for (const name of manifest[part]?.imports ?? []) parts.add(name)
  const styles = new Set([...parts].reverse().flatMap((part) => manifest[part]?.css ?? []))
  return { scripts: [pathOf(entry.file)], styles: [...styles].map(pathOf) }
}
