import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openPage } from '../../src/cli/terminal/open-page.ts'
import { startServer } from '../relay/server/support.ts'
import { webPages } from '../relay/server/web-fixture.ts'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

const TOKEN = 'operator-token & of "a" test'

/** A program that notes what it is started with, and ends with a code. */
function createBrowser(code = 0, folder = temporaryDir()) {
  const program = join(folder, 'browser')
  writeFileSync(
    program,
    `#!/bin/sh\nprintf '%s\\n' "$@" > "${folder}/opened.new"\nmv "${folder}/opened.new" "${folder}/opened"\nexit ${code}\n`,
    {
      mode: 0o700,
    },
  )
  const opened = (): string[] | null =>
    existsSync(join(folder, 'opened')) ? readFileSync(join(folder, 'opened'), 'utf8').trim().split('\n') : null
  return { program, opened }
}

describe('a page is opened', () => {
  const address = 'http://127.0.0.1:8787/?a=1;touch%20x&b=$(id)'

  it('by the program of BROWSER, without a shell', async () => {
    const { program, opened } = createBrowser()
    expect(await openPage(address, { environment: { BROWSER: `${program} --new-window` } })).toBe(true)
    expect(opened()).toEqual(['--new-window', address])
  })

  it('in the place that BROWSER has for it', async () => {
    const { program, opened } = createBrowser()
    expect(await openPage(address, { environment: { BROWSER: `${program} --app=%s --x` } })).toBe(true)
    expect(opened()).toEqual([`--app=${address}`, '--x'])
  })

  it('by the first of several that can', async () => {
    const [failing, other] = [createBrowser(3), createBrowser()]
    const environment = { BROWSER: `/no/such/program:${failing.program}:${other.program}` }
    expect(await openPage(address, { environment })).toBe(true)
    expect([failing.opened(), other.opened()]).toEqual([[address], [address]])
  })

  it('by what the system has: not at all where it has nothing', async () => {
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      for (const WSL_DISTRO_NAME of [undefined, 'Debian']) {
        const environment = { PATH: temporaryDir(), ...(WSL_DISTRO_NAME === undefined ? {} : { WSL_DISTRO_NAME }) }
        expect(await openPage(address, { environment, platform })).toBe(false)
      }
    }
  })
})

describe('rfqctl dashboard --web', () => {
  async function startFixture(web = true) {
    const relay = await startServer({ server: { operatorToken: TOKEN }, ...(web ? { web: webPages() } : {}) })
    const dataDir = temporaryDir()
    const look = (environment: Record<string, string>, ...flags: string[]) =>
      run(['dashboard', '--web', '--url', relay.url, '--data-dir', dataDir, ...flags], {
        environment: { OPERATOR_TOKEN: TOKEN, ...environment },
      })
    return { ...relay, dataDir, look }
  }

  it('opens a file that only its owner may read, which leads to the page with the token behind the #', async () => {
    const { look, dataDir, url } = await startFixture()
    const { program, opened } = createBrowser()
    const { code, stdout, stderr } = await look({ BROWSER: program })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(`opened ${url}/desk\n`)
    const path = join(dataDir, 'sign-in.html')
    expect(opened()).toEqual([`file://${path}`])
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600')
    const html = readFileSync(path, 'utf8')
    const [, address = ''] = /content="0; url=([^"]+)"/.exec(html) ?? []
    expect(address).toBe(`${url}/desk#token=operator-token%20%26%20of%20%22a%22%20test`)
    expect(new URLSearchParams(new URL(address).hash.slice(1)).get('token')).toBe(TOKEN)
    expect(`${stdout}${stderr}${opened()}`).not.toContain('operator-token')
  })

  it('says which file to open where no browser does, and is no failure', async () => {
    const { look, dataDir, url } = await startFixture()
    const { code, stdout, stderr } = await look({ BROWSER: '/no/such/program' })
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${url}/desk\n` })
    expect(stderr).toContain(`no browser opened: open ${join(dataDir, 'sign-in.html')}`)
    const json = await look({ BROWSER: '/no/such/program' }, '--json')
    expect(JSON.parse(json.stdout)).toEqual({
      type: 'opened',
      operateUrl: `${url}/desk`,
      file: join(dataDir, 'sign-in.html'),
      isOpen: false,
    })
  })

  it('opens nothing with a wrong token, at a relay without pages, or where no relay is', async () => {
    const { program, opened } = createBrowser()
    const served = await startFixture()
    expect((await served.look({ BROWSER: program, OPERATOR_TOKEN: 'x'.repeat(20) })).code).not.toBe(0)
    const bare = await startFixture(false)
    const { code, stderr } = await bare.look({ BROWSER: program })
    expect(code).not.toBe(0)
    expect(stderr).toContain('the relay serves no pages')
    expect((await served.look({ BROWSER: program }, '--url', 'http://127.0.0.1:1')).code).not.toBe(0)
    expect(opened()).toBeNull()
    for (const { dataDir } of [served, bare]) expect(existsSync(join(dataDir, 'sign-in.html'))).toBe(false)
  })

  it('leaves a file that the relay of the folder removes when it starts, and when it ends', async () => {
    const cwd = temporaryDir()
    const { program } = createBrowser()
    const path = join(cwd, '.rfqctl', 'sign-in.html')
    const relay = await serveFrom(cwd)
    expect((await run(['dashboard', '--web'], { cwd, environment: { BROWSER: program } })).code).toBe(0)
    expect(existsSync(path)).toBe(true)
    await relay.stop()
    expect(existsSync(path)).toBe(false)
    writeFileSync(path, 'of a relay that was killed')
    await serveFrom(cwd)
    expect(existsSync(path)).toBe(false)
  })
})
