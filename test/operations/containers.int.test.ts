import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildWhenStale, ROOT } from '../kit/build.ts'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { dockerfile, instructions, seenByDocker } from '../support/deploy-files.ts'
import { findFreePort } from '../support/free-port.ts'

const run = promisify(execFile)
const NOBODY = 65_534

type Entry = { dev?: boolean; optional?: boolean; devOptional?: boolean; link?: boolean }
type Lock = { packages: Record<string, Entry> }

/** What the Dockerfile installs without workspaces, by the lock file; without a network. */
function productionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock
  return Object.entries(packages).flatMap(([path, { dev, optional, devOptional, link }]) =>
    !path.startsWith('node_modules/') || link || dev || optional || devOptional ? [] : [path],
  )
}

/** What the image of the Dockerfile holds in /opt/rfqctl, made by its steps where a container engine is not needed. */
async function makeImage(dir: string): Promise<void> {
  const sources = join(dir, 'sources')
  for (const path of [...seenByDocker(), 'dist']) cpSync(join(ROOT, path), join(sources, path), { recursive: true })
  await run('npm', ['pack', '--ignore-scripts'], { cwd: sources })
  const image = join(dir, 'image')
  mkdirSync(image)
  await run('sh', ['-c', `tar -xzf rfqctl-*.tgz --strip-components=1 -C ${image}`], { cwd: sources })
  for (const path of productionPackages()) {
    mkdirSync(dirname(join(image, path)), { recursive: true })
    // Nested packages come with those that hold them.
    if (path.lastIndexOf('node_modules/') === 0) await run('cp', ['-a', join(ROOT, path), join(image, path)])
  }
}

describe('a relay as the image has it, without a container engine', () => {
  let dir: string
  let relay: ChildProcess
  let port: number
  let stderr = ''

  const environment = () => ({
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    ...dockerfile('ENV'),
    // The places of the image, here.
    HOST: '127.0.0.1',
    PORT: String(port),
    DATA_DIR: join(dir, 'data'),
  })

  beforeAll(async () => {
    await buildWhenStale()
    port = await findFreePort()
    dir = newFolder()
    await makeImage(dir)
    for (const name of ['data', 'etc']) mkdirSync(join(dir, name))
    // Without a chain: in production it takes none with keys that are public, as those of a test are.
    const settings = {
      MAKER_API_KEYS: [{ apiKey: 'a-key-that-no-one-guesses-0001', makerId: 'ada' }],
      OPERATOR_TOKEN: 'a-token-that-no-one-guesses-0001',
      ALLOW_FIXTURES: 'true',
    }
    writeFileSync(join(dir, 'etc', 'rfqctl.config.json'), JSON.stringify(settings))
    chmodSync(dir, 0o755)
    const asWhom = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
    if (asWhom.uid !== undefined) chownSync(join(dir, 'data'), asWhom.uid, asWhom.gid)
    const [, program = ''] = dockerfile('ENTRYPOINT')
    const args = [program.replace('/opt/rfqctl', join(dir, 'image')), ...dockerfile('CMD'), '--json', '--no-chain']
    relay = spawn(process.execPath, args, {
      cwd: join(dir, 'etc'),
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      ...asWhom,
    })
    relay.stderr?.on('data', (chunk) => (stderr += chunk))
    const ended = once(relay, 'exit').then(([code]) => {
      throw new Error(`it ended with ${code}: ${stderr}`)
    })
    ended.catch(() => {})
    await Promise.race([once(createInterface({ input: relay.stdout as NodeJS.ReadableStream }), 'line'), ended])
  })
  afterAll(async () => {
    relay?.kill('SIGKILL')
    removeFolder(dir)
  })

  const health = () => {
    const [program = '', ...args] = dockerfile('HEALTHCHECK')
    return run(program, args, { env: environment() }).then(
      () => 0,
      ({ code }) => code,
    )
  }

  it('starts from the package and what it needs to run, as a user who may write only its data', async () => {
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`)
    expect(await ready.json()).toMatchObject({ ready: true, store: 'up' })
    expect(execFileSync('ls', [join(dir, 'etc')], { encoding: 'utf8' })).toBe('rfqctl.config.json\n')
  })

  it('is healthy by its own check while it runs, ends at SIGTERM, and is not healthy then', async () => {
    expect(await health()).toBe(0)
    const exited = once(relay, 'exit')
    relay.kill('SIGTERM')
    expect((await exited)[0]).toBe(0)
    expect(await health()).toBe(1)
  })
})

describe('the Dockerfile', () => {
  it('installs neither the local chain nor the proxy that comes with it', () => {
    const installed = instructions().filter(({ name, text }) => name === 'RUN' && text.startsWith('npm ci'))
    expect(installed.at(-1)?.text).toBe('npm ci --workspaces=false --omit=dev --omit=optional --ignore-scripts')
    const ofChain = /^node_modules\/(@viem\/anvil|@foundry-rs|http-proxy|execa|get-port|follow-redirects)/
    expect(productionPackages().filter((path) => ofChain.test(path))).toEqual([])
    expect(productionPackages()).toContain('node_modules/viem')
  })

  it('has only instructions that there are, and ends as a user without rights', () => {
    const known = /^(?:FROM|WORKDIR|COPY|RUN|ENV|USER|VOLUME|EXPOSE|HEALTHCHECK|ENTRYPOINT|CMD)$/
    expect(instructions().filter(({ name }) => !known.test(name))).toEqual([])
    expect(instructions().findLast(({ name }) => name === 'USER')?.text).toBe('node')
  })
})
