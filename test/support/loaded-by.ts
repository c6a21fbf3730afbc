import { readFileSync } from 'node:fs'

const SRC = new URL('../../src/', import.meta.url)

/** Names, braces and commas up to the module's name: nothing else can stand there. Types are gone when it runs. */
const STATIC_IMPORT = /^(?:import|export)\s(?!type\b)(?:[\w*{}\s,$]+from\s)?'([^']+)'/gm

/** The file of our own that an import names; null for a package. */
export function sourceOf(name: string, from: string | URL): URL | null {
  if (name.startsWith('.')) return new URL(name, from)
  const [, path] = /^@rfqctl\/(.+)$/.exec(name) ?? []
  return path === undefined ? null : new URL(`${path}.ts`, SRC)
}

/** Everything that modules of `src` load when they are imported: `import()` loads later and does not count. */
export function loadedBy(...modules: readonly string[]): { files: string[]; packages: Set<string> } {
  const files = new Set<string>()
  const packages = new Set<string>()
  const visit = (url: URL) => {
    const file = url.href.slice(SRC.href.length)
    if (files.has(file)) return
    files.add(file)
    for (const [, name = ''] of readFileSync(url, 'utf8').matchAll(STATIC_IMPORT)) {
      const source = sourceOf(name, url)
      if (source !== null) visit(source)
      else if (!name.startsWith('node:')) packages.add(name)
    }
  }
  for (const module of modules) visit(new URL(module, SRC))
  return { files: [...files], packages }
}
