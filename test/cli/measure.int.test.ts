import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findFreePort } from '../support/free-port.ts'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

describe('the speed of a relay', () => {
  test('bench times a relay from outside: calls beside one that asks nothing of it, broadcasts and trades', async () => {
    const cwd = temporaryDir()
    const { url } = await serveFrom(cwd)
    const { code, stdout } = await run(['bench', '--for', '200ms', '--json'], { cwd })
    expect(code).toBe(0)
    const { measured, ...told } = JSON.parse(stdout)
    expect(told).toEqual({ type: 'bench', url })
    expect(measured.map(({ what }: { what: string }) => what)).toEqual([
      'GET /healthz',
      'POST /v1/mm/quotes',
      'create, until the maker has it',
      'commit, signature and answer',
    ])
    for (const { count, perSecond, p50Ms, p99Ms } of measured) {
      expect(count).toBeGreaterThan(0)
      expect(perSecond).toBeGreaterThan(0)
      expect(p99Ms).toBeGreaterThanOrEqual(p50Ms)
    }
  })

  test('bench times a relay of which there is nothing here but its address and a key, where nothing is at stake', async () => {
    const home = temporaryDir()
    const { url } = await serveFrom(home)
    const [maker] = JSON.parse(readFileSync(join(home, '.rfqctl', 'sandbox.json'), 'utf8')).makers
    const elsewhere = { cwd: temporaryDir() }
    const argv = ['bench', '--url', url, '--for', '100ms', '--json']
    expect((await run(argv, elsewhere)).code).toBe(4)
    const { code, stdout } = await run(argv, { ...elsewhere, environment: { RFQCTL_API_KEY: maker.apiKey } })
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, type: 'bench', url })
  })

  test('bench says what is in its way where there is no relay, or no address', async () => {
    const cwd = temporaryDir()
    const { code, stderr } = await run(['bench', '--url', `http://127.0.0.1:${await findFreePort()}`], { cwd })
    expect({ code, stderr }).toEqual({ code: 7, stderr: expect.stringContaining('cannot be reached') })
    expect((await run(['bench', '--url', 'nonsense'], { cwd })).code).toBe(2)
  })
})
