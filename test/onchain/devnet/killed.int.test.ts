import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { endProcess, isRunning } from '../../../src/lib/process.ts'
import { compileTs } from '../../support/compile-ts.ts'

/** The owner is a process of its own. */
describe('an Anvil whose owner', () => {
  let compiled: Awaited<ReturnType<typeof compileTs>>

  beforeAll(async () => {
    compiled = await compileTs(resolve(import.meta.dirname, '../../../src/onchain/devnet/anvil.ts'))
  })
  afterAll(() => compiled.remove())

  async function startOwner({ outlives, work }: { outlives: boolean; work: string }) {
    const script = `
      import { startAnvil } from ${JSON.stringify(pathToFileURL(compiled.script).href)}
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

  const isGone = (pid: number) =>
    vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 60_000, interval: 10 })
  const waitForEver = 'setInterval(() => {}, 1_000)'

  it.each(['SIGKILL', 'SIGHUP'] as const)('was ended by %s ends too, so that none is left behind', async (signal) => {
    const { owner, anvilPid } = await startOwner({ outlives: false, work: waitForEver })
    expect(isRunning(anvilPid)).toBe(true)
    await kill(owner, signal)
    await isGone(anvilPid)
  })

  it('was killed stays when it is to outlive it', async () => {
    const outliving = await startOwner({ outlives: true, work: waitForEver })
    const guarded = await startOwner({ outlives: false, work: waitForEver })
    await kill(outliving.owner, 'SIGKILL')
    await kill(guarded.owner, 'SIGKILL')
    await isGone(guarded.anvilPid)
    expect(isRunning(outliving.anvilPid)).toBe(true)
    await endProcess(outliving.anvilPid)
    expect(isRunning(outliving.anvilPid)).toBe(false)
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
