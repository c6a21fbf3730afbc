import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { endProcess, isRunning } from '../../src/devnet/process.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** A process of its own that starts Anvil, which needs it compiled: Node 20 does not read TypeScript. */
describe('an Anvil whose owner', () => {
  let folder: string

  beforeAll(() => {
    const cache = join(ROOT, 'node_modules', '.cache')
    mkdirSync(cache, { recursive: true })
    folder = mkdtempSync(join(cache, 'rfqctl-killed-'))
    const compilerOptions = { noEmit: false, rootDir: join(ROOT, 'src'), outDir: folder, declaration: false }
    const files = [join(ROOT, 'src/devnet/anvil.ts')]
    const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: [], files }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder])
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  async function startOwner({ outlives, work }: { outlives: boolean; work: string }) {
    const script = `
      import { startAnvil } from ${JSON.stringify(pathToFileURL(join(folder, 'devnet/anvil.js')).href)}
      const { pid } = await startAnvil({ port: 0, statePath: null, outlives: ${outlives} })
      process.stdout.write(pid + '\\n', () => { ${work} })`
    const owner = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'ignore'] })
    const [output] = (await once(owner.stdout, 'data')) as [Buffer]
    return { owner, anvilPid: Number(output.toString()) }
  }

  async function kill(owner: ChildProcess, signal: NodeJS.Signals): Promise<void> {
    const exited = once(owner, 'exit')
    owner.kill(signal)
    await exited
  }

  const isGone = (pid: number) => vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 5_000, interval: 10 })
  const waitForEver = 'setInterval(() => {}, 1_000)'

  it.each(['SIGKILL', 'SIGHUP'] as const)('was ended by %s ends too, so that none is left behind', async (signal) => {
    const { owner, anvilPid } = await startOwner({ outlives: false, work: waitForEver })
    expect(isRunning(anvilPid)).toBe(true)
    await kill(owner, signal)
    await isGone(anvilPid)
  })

  it('was killed stays when it is to outlive it', async () => {
    const { owner, anvilPid } = await startOwner({ outlives: true, work: waitForEver })
    await kill(owner, 'SIGKILL')
    expect(isRunning(anvilPid)).toBe(true)
    await endProcess(anvilPid)
    expect(isRunning(anvilPid)).toBe(false)
  })

  it.each(['process.exit(1)', 'throw new Error()'])(
    'ends by itself, as in `%s`, ends too, also when it could outlive it',
    async (work) => {
      const { owner, anvilPid } = await startOwner({ outlives: true, work })
      if (owner.exitCode === null) await once(owner, 'exit')
      await isGone(anvilPid)
    },
  )
})
