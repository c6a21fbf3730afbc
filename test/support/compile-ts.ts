import { mkdir, rm } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Bundles a TypeScript file of the project with all that it imports of ours, and returns the path of its JavaScript: the oldest
 * Node that the project supports runs no TypeScript, and a child process is not transformed by the test runner.
 */
export async function compileTs(file: string): Promise<{ script: string; remove: () => Promise<void> }> {
  const name = basename(file, '.ts')
  // Inside node_modules, so that the packages are found and nothing else looks at it.
  const outDir = join(ROOT, 'node_modules', '.cache', 'rfqctl-test', `${process.pid}-${name}`)
  await mkdir(outDir, { recursive: true })
  const script = join(outDir, `${name}.mjs`)
  const bundle = await rolldown({
    input: file,
    platform: 'node',
    external: (id) => !id.startsWith('.') && !isAbsolute(id) && !id.startsWith('@rfqctl/'),
    plugins: [
      {
        name: 'keep-places',
        transform: (code, id) => code.replaceAll('import.meta.url', JSON.stringify(`file://${id}`)),
      },
    ],
  })
  await bundle.write({ file: script, format: 'esm', codeSplitting: false })
  await bundle.close()
  return { script, remove: () => rm(outDir, { recursive: true, force: true }) }
}
