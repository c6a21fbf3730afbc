import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { endProcess, isRunning } from '../../src/lib/process.ts'
import { writeRecord } from '../../src/onchain/devnet/anvil-record.ts'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { compileTs } from '../support/compile-ts.ts'

type Compiled = Awaited<ReturnType<typeof compileTs>>

/** A program that does nothing until it is told to end. */
const IDLE = 'setInterval(() => {}, 1_000)'

let dir: string
let started: number[]

beforeEach(() => {
  dir = newFolder()
  started = []
})
afterEach(async () => {
  await Promise.all(started.map(endProcess))
  removeFolder(dir)
})

/** A process of its own that runs a script, and what it says first: process ids. */
async function own(script: string): Promise<{ owner: ChildProcess; pids: number[] }> {
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [output] = (await once(owner.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  const pids = output.toString().trim().split(' ').map(Number)
  started.push(owner.pid as number, ...pids)
  return { owner, pids }
}

async function kill(owner: ChildProcess): Promise<void> {
  const exited = once(owner, 'exit')
  owner.kill('SIGKILL')
  await exited
}

/** Longer than a machine that is held back needs to run a few programs. */
const soon = (check: () => void) => vi.waitFor(check, { timeout: 60_000, interval: 20 })

describe('a guarded program', () => {
  let compiled: Compiled

  beforeAll(async () => {
    compiled = await compileTs(resolve(import.meta.dirname, '../../src/lib/guarded-process.ts'))
  })
  afterAll(() => compiled.remove())

  const script = (work: string) => `
    import { spawnGuarded } from ${JSON.stringify(pathToFileURL(compiled.script).href)}
    const start = (code, options) => spawnGuarded(process.execPath, ['-e', code], { signal: 'TERM', ...options })
    ${work}
    ${IDLE}`

  it('gets a signal when its owner was killed, ends as it likes, and is tidied up after', async () => {
    const [drained, tidied] = [join(dir, 'drained'), join(dir, 'tidied')]
    const drains = `process.on('SIGTERM', () => { fs.writeFileSync(${JSON.stringify(drained)}, ''); process.exit() });${IDLE}`
    const { owner, pids } = await own(
      script(`
        const { process: child } = start(${JSON.stringify(`${drains};console.log('up')`)}, {
          output: 'pipe',
          afterwards: ${JSON.stringify(`touch '${tidied}'`)},
        })
        child.stdout.once('data', () => console.log(child.pid))`),
    )
    expect(pids.map(isRunning)).toEqual([true])
    await kill(owner)
    await soon(() => expect(pids.map(isRunning)).toEqual([false]))
    expect(existsSync(drained)).toBe(true)
    await soon(() => expect(existsSync(tidied)).toBe(true))
  })

  it('outlives its owner for as long as one that was given its deathPipe', async () => {
    const told = join(dir, 'told')
    const drains = `process.on('SIGTERM', () => fs.writeFileSync(${JSON.stringify(told)}, ''));${IDLE}`
    const { owner, pids } = await own(
      script(`
        const server = start(${JSON.stringify(IDLE)})
        const user = start(${JSON.stringify(`${drains};console.log('up')`)}, { output: 'pipe', deathPipes: [server.deathPipe] })
        user.process.stdout.once('data', () => console.log(server.process.pid, user.process.pid))`),
    )
    const [server, user] = pids as [number, number]
    await kill(owner)
    // Its signal has come, and none to the server.
    await soon(() => expect(existsSync(told)).toBe(true))
    expect([server, user].map(isRunning)).toEqual([true, true])
    process.kill(user, 'SIGKILL')
    await soon(() => expect([server, user].map(isRunning)).toEqual([false, false]))
  })
})

describe('a paused Anvil', () => {
  let compiled: Compiled

  beforeAll(async () => {
    compiled = await compileTs(resolve(import.meta.dirname, '../../src/onchain/devnet/anvil-record.ts'))
  })
  afterAll(() => compiled.remove())

  it('resumes when the one that paused it was killed', async () => {
    const anvil = spawn(process.execPath, ['-e', IDLE, 'anvil'], { stdio: 'ignore' })
    const pid = anvil.pid as number
    started.push(pid)
    writeRecord(dir, { pid, port: 1, ownerPid: process.pid })
    const isStopped = () => /^\d+ \(.*\) [Tt]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    const { owner } = await own(`
      import { pauseAnvil } from ${JSON.stringify(pathToFileURL(compiled.script).href)}
      console.log(pauseAnvil(${JSON.stringify(dir)}) === null ? 0 : process.pid)
      ${IDLE}`)
    await soon(() => expect(isStopped()).toBe(true))
    await kill(owner)
    await soon(() => expect(isStopped()).toBe(false))
  })
})
