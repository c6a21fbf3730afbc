import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Compiles a TypeScript file of the project and all that it imports, and returns the path of its JavaScript: the oldest
 * Node that the project supports runs no TypeScript, and a child process is not transformed by the test runner.
 */
export async function compileTs(file: string): Promise<{ script: string; remove: () => Promise<void> }> {
  // Inside node_modules, so that the packages are found and nothing else looks at it.
  const outDir = join(ROOT, 'node_modules', '.cache', 'rfqctl-test', String(process.pid))
  await mkdir(outDir, { recursive: true })
  await writeFile(join(outDir, 'package.json'), '{"type":"module"}')
  const config = join(outDir, 'tsconfig.json')
  const compilerOptions = {
    noCheck: true,
    noEmit: false,
    declaration: false,
    rootDir: ROOT,
    outDir,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules', '@types')],
  }
  await writeFile(config, JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: [file] }))
  await promisify(execFile)(process.execPath, [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', config])
  const script = join(outDir, relative(ROOT, file)).replace(/\.ts$/, '.js')
  return { script, remove: () => rm(outDir, { recursive: true, force: true }) }
}
