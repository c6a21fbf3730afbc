import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Argument, Command, Option } from 'commander'
import { describe, expect, test } from 'vitest'
import { complete } from '../../../src/cli/completion/complete.ts'
import { commandTree } from '../help-texts.ts'
import { run, temporaryDirOfFile } from '../support.ts'

const REQUEST = '1f0c9d2e-5a3b-4c6d-8e7f-9a0b1c2d3e4f'
const cwd = temporaryDirOfFile()
const kept = join(cwd, '.rfqctl', 'keystores')
mkdirSync(kept, { recursive: true })
writeFileSync(join(kept, 'desk.json'), '{"version":3,"crypto":{"ciphertext":"00"},"address":"00"}', { mode: 0o600 })
mkdirSync(join(cwd, '.rfqctl', 'requests'))
const saved = { createdAt: Date.now(), request: { requestId: REQUEST } }
writeFileSync(join(cwd, '.rfqctl', 'requests', `${REQUEST}.json`), JSON.stringify(saved), { mode: 0o600 })

const shownAt = Date.now()
/** Keeps rows as if a list of these names had been shown. */
const show = (list: string, names: readonly string[]) => {
  const rows = names.map((name, index) => [index + 1, { id: `id of ${name}`, name, shownAt }])
  mkdirSync(join(cwd, '.rfqctl', 'shown'), { recursive: true })
  writeFileSync(
    join(cwd, '.rfqctl', 'shown', `${list}.json`),
    JSON.stringify({ shownAt, rows: Object.fromEntries(rows) }),
  )
}
show('series', ['norvik-c45-mon', 'harbour-p30-mon', 'harbour-c30-mon'])
show('markets', ['"Will it rain: in Norvik?"'])
show('requests', ['request 1f0c9d2e, buy call $0.45 for $100', 'request 2f0c9d2e, sell 10 put $0.30'])

/** What a line could go on with, as a program is told. */
async function after(line: string): Promise<string[]> {
  const { stdout } = await run(['completion', 'bash', '--line', line, '--json'], { cwd })
  return JSON.parse(stdout).candidates.map(({ word }: { word: string }) => word)
}

describe('a line continues', () => {
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
    ['with rows of series', 'rfqctl taker buy @', ['@1', '@2', '@3']],
    ['with names of series', 'rfqctl taker buy har', ['harbour-p30-mon', 'harbour-c30-mon']],
    ['with the series of a second leg', 'rfqctl taker spread @1 @', ['@1', '@2', '@3']],
    ['with one series after another', 'rfqctl chain halt @1 @2 @', ['@1', '@2', '@3']],
    ['with rows of markets', 'rfqctl series create ', ['@1']],
    ['with rows of markets for a flag', 'rfqctl series list --market ', ['@1']],
    ['with rows of requests, and their ids', 'rfqctl taker commit ', ['@1', '@2', REQUEST]],
    ['without rows where only an id is taken', 'rfqctl maker quote ', [REQUEST]],
    ['with nothing where no list was shown', 'rfqctl keys revoke @', []],
    ['with nothing where no list was shown in that folder', 'rfqctl --data-dir elsewhere taker buy ', []],
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
  expect(await shown('bash', 'rfqctl taker buy nor')).toBe('norvik-c45-mon\n')
  expect(await shown('zsh', 'rfqctl series list --market ')).toBe('@1:"Will it rain: in Norvik?"\n')
  expect(await shown('fish', 'rfqctl taker buy @2')).toBe('@2\tharbour-p30-mon\n')
  expect(await shown('fish', 'rfqctl series list --type=c')).toBe('--type=call\tonly these\n')
})

test('every argument and option whose help names the rows of a list is completed with them', () => {
  const words = (of: Argument | Option) => /a row of the last "(?:taker )?(\w+)/.exec(of.description)?.[1]
  const rowsOf = (command: Command): unknown[] => [
    ...command.registeredArguments.flatMap((argument, index) =>
      words(argument) === undefined
        ? []
        : [[command.name(), words(argument), offered(command, Array(index).fill('@1'))]],
    ),
    ...command.options.flatMap((option) =>
      words(option) === undefined ? [] : [[command.name(), words(option), offered(command, [option.long ?? ''])]],
    ),
    ...command.commands.flatMap(rowsOf),
  ]
  const program = commandTree()
  const names = { wallets: () => [], requests: () => [], rows: (list: string) => [{ word: list, about: '' }] }
  const offered = (command: Command, told: string[]) =>
    complete(program, [...pathOf(command), ...told, ''], names).map(({ word }) => word)
  const all = rowsOf(program) as [string, string, string[]][]
  expect(all.filter(([, said, offers]) => !offers.includes(said))).toEqual([])
  expect(new Set(all.map(([, said]) => said))).toEqual(new Set(['series', 'markets', 'requests', 'keys']))
})

const pathOf = (command: Command): string[] =>
  command.parent === null ? [command.name()] : [...pathOf(command.parent), command.name()]

test('another shell is refused', async () => {
  const { code, stderr } = await run(['completion', 'tcsh'])
  expect(code).toBe(2)
  expect(stderr).toContain('Allowed choices are bash, zsh, fish')
})
