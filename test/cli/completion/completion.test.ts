import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { run, temporaryDirOfFile } from '../support.ts'

const REQUEST = '1f0c9d2e-5a3b-4c6d-8e7f-9a0b1c2d3e4f'
const cwd = temporaryDirOfFile()
const kept = join(cwd, '.rfqctl', 'keystores')
mkdirSync(kept, { recursive: true })
writeFileSync(join(kept, 'desk.json'), '{"version":3,"crypto":{"ciphertext":"00"},"address":"00"}', { mode: 0o600 })
mkdirSync(join(cwd, '.rfqctl', 'requests'))
const saved = { createdAt: Date.now(), request: { requestId: REQUEST } }
writeFileSync(join(cwd, '.rfqctl', 'requests', `${REQUEST}.json`), JSON.stringify(saved), { mode: 0o600 })

/** What a line could go on with, as a program is told. */
async function after(line: string): Promise<string[]> {
  const { stdout } = await run(['completion', 'bash', '--line', line, '--json'], { cwd })
  return JSON.parse(stdout).candidates.map(({ word }: { word: string }) => word)
}

describe('a line goes on', () => {
  test.each([
    ['with commands', 'rfqctl ma', ['markets', 'maker']],
    ['with all commands', 'rfqctl taker ', expect.arrayContaining(['request', 'watch', 'commit', 'buy', 'sell'])],
    ['with flags, its own and those of all', 'rfqctl taker commit --', expect.arrayContaining(['--limit', '--json'])],
    ['with no flag that was told', 'rfqctl taker commit --fill --f', ['--firm-only']],
    ['with no hidden flag', 'rfqctl taker commit --i-know', []],
    ['with the choices of a flag', 'rfqctl series list --type ', ['call', 'put', 'package']],
    ['with the choices behind a =', 'rfqctl series list --type=c', ['call']],
    ['with the choices of an argument', 'rfqctl api ', ['openapi', 'asyncapi']],
    ['with wallets', 'rfqctl taker buy @1 --account d', ['desk']],
    ['with requests', 'rfqctl taker commit 1f', [REQUEST]],
    ['with nothing where a person must think', 'rfqctl taker buy @1 --budget ', []],
    ['with nothing after its last argument', `rfqctl taker commit ${REQUEST} `, []],
    ['with nothing that is not there', 'rfqctl nonsense ', []],
    ['in spite of flags before it', 'rfqctl --json --data-dir .rfqctl taker commit 1', [REQUEST]],
    ['in the directory that it names', 'rfqctl --data-dir elsewhere taker commit 1', []],
  ])('%s: %s', async (_, line, words) => {
    expect(await after(line)).toEqual(words)
  })
})

test('each shell reads its own form, with what a word means where it can show that', async () => {
  const shown = async (shell: string, line: string) =>
    (await run(['completion', shell, '--line', line], { cwd })).stdout
  expect(await shown('bash', 'rfqctl series list --type=')).toBe('call\nput\npackage\n')
  expect(await shown('zsh', 'rfqctl tak')).toBe('taker:Trade: ask for quotes, commit, fill\n')
  expect(await shown('fish', 'rfqctl series list --type=c')).toBe('--type=call\tonly these\n')
})

test('another shell is refused', async () => {
  const { code, stderr } = await run(['completion', 'tcsh'])
  expect(code).toBe(2)
  expect(stderr).toContain('Allowed choices are bash, zsh, fish')
})
