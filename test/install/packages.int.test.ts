import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildWhenStale, ROOT } from '../kit/build.ts'
import { newFolder, removeFolder } from '../kit/folder.ts'

const execute = promisify(execFile)

describe('the package as npm installs it, without what is optional', () => {
  let dir: string

  beforeAll(async () => {
    await buildWhenStale()
    dir = newFolder()
    await execute('npm', ['pack', '--ignore-scripts', '--pack-destination', dir], { cwd: ROOT })
    await execute(
      'sh',
      ['-c', 'tar -xzf rfqctl-*.tgz && mkdir -p node_modules work && mv package node_modules/rfqctl'],
      {
        cwd: dir,
      },
    )
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    for (const name of Object.keys(dependencies)) {
      mkdirSync(dirname(join(dir, 'node_modules', name)), { recursive: true })
      symlinkSync(join(ROOT, 'node_modules', name), join(dir, 'node_modules', name))
    }
  })
  afterAll(() => removeFolder(dir))

  const rfqctl = (args: readonly string[], environment: Record<string, string> = {}) =>
    execute(process.execPath, [join(dir, 'node_modules/rfqctl/bin/rfqctl.js'), ...args], {
      cwd: join(dir, 'work'),
      env: { PATH: dirname(process.execPath), HOME: dir, ...environment },
    }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    )

  const POSTGRES = { DATABASE_URL: 'postgres://127.0.0.1:1/none' }
  const INSTALLS_PG = 'DATABASE_URL needs the package pg, which is not installed: npm install pg@8'

  it('starts no relay whose settings ask for a package that is not there, and names each', async () => {
    const environment = {
      ...POSTGRES,
      REDIS_URL: 'redis://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    }
    const { code, stderr } = await rfqctl(['serve', '--no-chain', '--port', '0'], environment)
    expect(code).toBe(2)
    expect(stderr).toContain(INSTALLS_PG)
    expect(stderr).toContain(
      'REDIS_URL needs the package @redis/client, which is not installed: npm install @redis/client@6',
    )
    expect(stderr).toContain('npm install @opentelemetry/api@1 @opentelemetry/exporter-trace-otlp-http@0.223')
    expect(stderr).not.toMatch(/\n\s+at |ERR_MODULE_NOT_FOUND/)
  })

  it.each([[['doctor']], [['doctor', '--production']]])('says so in %j', async (args) => {
    const { stdout, stderr } = await rfqctl(args, POSTGRES)
    expect(stdout).toContain(INSTALLS_PG)
    expect(stdout + stderr).not.toMatch(/\n\s+at |ERR_MODULE_NOT_FOUND|bug in rfqctl/)
  })

  it.each([[['db', 'migrate']], [['db', 'renew']], [['db', 'move', '--to', POSTGRES.DATABASE_URL]]])(
    'refuses %j with the command that installs it',
    async (args) => {
      const { code, stderr } = await rfqctl([...args, '--json'], POSTGRES)
      expect(code).toBe(2)
      expect(JSON.parse(stderr)).toMatchObject({ code: 'package_missing', hint: 'npm install pg@8' })
    },
  )

  it('needs none of them without those settings', async () => {
    expect((await rfqctl(['db', 'migrate'])).stderr).toContain('there is no store')
    expect((await rfqctl(['doctor'])).stdout).toContain('all settings are valid')
  })

  it('says how to install Anvil to who wants a chain', async () => {
    const { code, stderr } = await rfqctl(['up', '--json'])
    expect(code).toBe(8)
    expect(JSON.parse(stderr)).toMatchObject({ code: 'anvil_missing' })
  })
})
