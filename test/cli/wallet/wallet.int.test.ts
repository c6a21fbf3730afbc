import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { encryptKeystoreJsonSync } from 'ethers'
import { describe, expect, test } from 'vitest'
import { run, temporaryDir } from '../support.ts'

const KEY = `0x${'1'.repeat(64)}`
const ADDRESS = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
const PASSWORD = 'correct horse'

/** A keystore of another program, quick to open. */
const FOREIGN = encryptKeystoreJsonSync({ address: ADDRESS, privateKey: KEY }, PASSWORD, { scrypt: { N: 1_024 } })

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

/** Answers in turn, and keeps what was asked. */
function typing(...answers: string[]) {
  const asked: string[] = []
  const askSecret = async (question: string) => {
    asked.push(question)
    return answers.shift() ?? ''
  }
  return { askSecret, asked }
}

/** A directory, and where a wallet of a name is kept in it. */
function withKept(name = 'desk'): { cwd: string; path: string } {
  const cwd = temporaryDir()
  const path = join(cwd, '.rfqctl', 'keystores', `${name}.json`)
  return { cwd, path }
}

describe('rfqctl wallet create', () => {
  test('keeps a key for its owner only, under a password that is typed twice, and shows no secret', async () => {
    const { cwd, path } = withKept()
    const { askSecret, asked } = typing(PASSWORD, PASSWORD)
    const { code, stdout, stderr } = await run(['wallet', 'create', 'desk', '--json'], { cwd, askSecret })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(asked).toEqual(['New password: ', 'Repeat it: '])
    expect(JSON.parse(stdout)).toEqual({ type: 'wallet', name: 'desk', address: expect.any(String), path })
    expect([modeOf(path), readdirSync(join(path, '..'))]).toEqual(['600', ['desk.json']])
    const { address, crypto } = JSON.parse(readFileSync(path, 'utf8'))
    expect(`0x${address}`).toBe(JSON.parse(stdout).address.toLowerCase())
    expect(crypto.kdf).toBe('scrypt')
  })

  test('names the faucet in a sandbox, and coin for gas where the chain is one of others', async () => {
    const nextAt = async (environment: Record<string, string>) => {
      const given = { ...environment, RFQCTL_KEYSTORE_PASSWORD: PASSWORD }
      return (await run(['wallet', 'create', 'desk'], { cwd: temporaryDir(), environment: given })).stderr
    }
    expect(await nextAt({})).toContain('Next: rfqctl faucet --account desk')
    expect(await nextAt({ RPC_URL: 'https://node.example' })).toContain('Next: send it coin for gas')
  })

  test('takes the password from the environment, from a file that it names, or from stdin', async () => {
    const cwd = temporaryDir()
    writeFileSync(join(cwd, 'password'), `${PASSWORD}\n`)
    const ways = [
      { environment: { RFQCTL_KEYSTORE_PASSWORD: PASSWORD } },
      { environment: { RFQCTL_KEYSTORE_PASSWORD_FILE: 'password' } },
      { stdin: `${PASSWORD}\n` },
    ]
    for (const [index, way] of ways.entries()) {
      expect((await run(['wallet', 'create', `desk-${index}`], { cwd, ...way })).code).toBe(0)
    }
  })

  test.each([
    ['two that differ', { ...typing(PASSWORD, 'another one') }, 2, 'the two passwords differ'],
    ['a short one', { ...typing('1234567', '1234567') }, 2, 'the password is too short'],
    ['none', {}, 4, 'no password was given'],
  ])('refuses %s for a password, and keeps nothing', async (_, typed, exitCode, words) => {
    const { cwd } = withKept()
    const { code, stdout, stderr } = await run(['wallet', 'create', 'desk'], { cwd, ...typed })
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' })
    expect(stderr).toContain(`error: ${words}`)
    expect(readdirSync(cwd)).toEqual([])
  })

  test.each(['../desk', 'a/b', '', 'maker-1', 'registrar', 'x'.repeat(33)])(
    'takes no name like %j, and asks for no password first',
    async (name) => {
      const { askSecret, asked } = typing(PASSWORD, PASSWORD)
      const { code } = await run(['wallet', 'create', name], { cwd: temporaryDir(), askSecret })
      expect({ code, asked }).toEqual({ code: 2, asked: [] })
    },
  )
})

describe('rfqctl wallet import', () => {
  test('keeps a plain key under a new password', async () => {
    const { cwd, path } = withKept()
    writeFileSync(join(cwd, 'plain'), KEY, { mode: 0o600 })
    const argv = ['wallet', 'import', 'desk', '--key-file', 'plain', '--json']
    const { stdout } = await run(argv, { cwd, ...typing(PASSWORD, PASSWORD) })
    expect(JSON.parse(stdout)).toMatchObject({ address: ADDRESS, path })
    expect(readFileSync(path, 'utf8')).not.toContain(KEY.slice(2))
  })

  test('keeps the key of another keystore under the password that it has', async () => {
    const { cwd } = withKept()
    const { askSecret, asked } = typing(PASSWORD)
    const argv = ['wallet', 'import', 'desk', '--key-stdin', '--json']
    const { stdout } = await run(argv, { cwd, stdin: FOREIGN, askSecret })
    expect(JSON.parse(stdout)).toMatchObject({ address: ADDRESS })
    expect(asked).toEqual(['Password of stdin: '])
  })

  test('overwrites no key', async () => {
    const { cwd, path } = withKept()
    writeFileSync(join(cwd, 'plain'), KEY, { mode: 0o600 })
    const again = () => run(['wallet', 'import', 'desk', '--key-file', 'plain'], { cwd, ...typing(PASSWORD, PASSWORD) })
    await again()
    const kept = readFileSync(path, 'utf8')
    const { code, stderr } = await again()
    expect(code).toBe(2)
    expect(stderr).toContain('a wallet desk already exists')
    expect(readFileSync(path, 'utf8')).toBe(kept)
  })

  test('needs the name of the key', async () => {
    expect((await run(['wallet', 'import', 'desk'], { cwd: temporaryDir() })).code).toBe(2)
  })

  test('has no password from a stdin that had the key', async () => {
    const { code, stderr } = await run(['wallet', 'import', 'desk', '--key-stdin'], { cwd: temporaryDir(), stdin: KEY })
    expect(code).toBe(4)
    expect(stderr).toContain('RFQCTL_KEYSTORE_PASSWORD_FILE')
  })
})

describe('a wallet that is kept', () => {
  function kept() {
    const { cwd, path } = withKept()
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, FOREIGN, { mode: 0o600 })
    return { cwd, path }
  }
  const use = ['settle', 'submit', '--account', 'desk']

  test('is listed with its address, without a password', async () => {
    const { cwd } = kept()
    const { stdout } = await run(['wallet', 'list', '--json'], { cwd })
    expect(JSON.parse(stdout).wallets).toEqual([{ name: 'desk', address: ADDRESS, kind: 'kept' }])
    expect((await run(['wallet', 'list'], { cwd })).stdout).toMatch(/^NAME .*\ndesk {2}0x19E7\w+ {2}yours, pass/)
  })

  test('is used by its name: past the password there is only the chain missing', async () => {
    const { cwd } = kept()
    const { askSecret, asked } = typing(PASSWORD)
    const { code, stderr } = await run(use, { cwd, askSecret })
    expect(asked).toEqual(['Password of desk: '])
    expect({ code, stderr }).toMatchObject({ code: 5, stderr: expect.stringContaining('no chain given') })
  })

  test('may be mistyped twice, and is refused with 4 after the third time (fault K2)', async () => {
    const { cwd } = kept()
    const { askSecret, asked } = typing('a', 'b', 'c', PASSWORD)
    const { code, stderr } = await run(use, { cwd, askSecret })
    expect({ code, tries: asked.length }).toEqual({ code: 4, tries: 3 })
    expect(stderr).toContain('error: wrong password for desk')
    const third = typing('a', 'b', PASSWORD)
    expect((await run(use, { cwd, askSecret: third.askSecret })).code).toBe(5)
  })

  test('gives a wrong password for the environment one try', async () => {
    const { cwd } = kept()
    const environment = { RFQCTL_KEYSTORE_PASSWORD: 'wrong' }
    const { askSecret, asked } = typing(PASSWORD)
    const { code, stderr } = await run([...use, '--json'], { cwd, environment, askSecret })
    expect({ code, asked }).toEqual({ code: 4, asked: [] })
    expect(JSON.parse(stderr)).toMatchObject({ code: 'wrong_password', exitCode: 4 })
  })

  test('that others can read is refused before a password is asked for (fault K2)', async () => {
    const { cwd, path } = kept()
    chmodSync(path, 0o644)
    const { askSecret, asked } = typing(PASSWORD)
    const { code, stderr } = await run(use, { cwd, askSecret })
    expect({ code, asked }).toEqual({ code: 4, asked: [] })
    expect(stderr).toContain(`its mode is 644\n  try: chmod 600 ${path}`)
  })
})

test('an empty list shows the next step', async () => {
  const { code, stdout, stderr } = await run(['wallet', 'list'], { cwd: temporaryDir() })
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'no wallets\n' })
  expect(stderr).toContain('rfqctl wallet create')
})

describe('rfqctl wallet address', () => {
  test('prints the address alone, without a password; a name that there is not is refused', async () => {
    const { cwd } = withKept()
    const environment = { RFQCTL_KEYSTORE_PASSWORD: PASSWORD }
    const made = await run(['wallet', 'create', 'desk', '--json'], { cwd, environment })
    const { code, stdout, stderr } = await run(['wallet', 'address', 'desk'], { cwd })
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${JSON.parse(made.stdout).address}\n`, stderr: '' })
    expect((await run(['wallet', 'address', 'nobody'], { cwd })).code).toBe(5)
  })
})
