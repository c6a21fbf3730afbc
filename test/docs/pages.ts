import { readdirSync } from 'node:fs'

/** Every page below docs as a path from the root, the generated reference of the client left out. */
export const DOC_PAGES: readonly string[] = readdirSync(new URL('../../docs/', import.meta.url), {
  recursive: true,
  encoding: 'utf8',
})
  .map((name) => `docs/${name.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.md') && !path.startsWith('docs/reference/client/'))
  .sort()
