import { when } from '@rfqctl/lib/format'
import { readSandbox, walletsOf } from '@rfqctl/relay/app/sandbox-file'
import type { Command } from 'commander'
import type { Cli, Run } from '../cli.ts'
import { listSavedRequests } from '../context/saved-requests.ts'
import { listShownRows } from '../context/shown-rows.ts'
import { dataDirOf } from '../context/targets.ts'
import { listKept } from '../wallet/keystores.ts'
import { type Candidate, complete, type Names, pathOptions, wordsOf } from './complete.ts'
import { SCRIPTS, type Shell } from './scripts.ts'

type Options = { line?: string; dataDir?: string }

/** Prints a shell's script or, for that script, the candidates for the line so far. */
export const completionOf =
  (program: Command): Run<Options, [Shell]> =>
  async (cli, { line, ...options }, shell) => {
    if (line === undefined) {
      const script = SCRIPTS[shell](pathOptions(program))
      return cli.out.verbatim({ type: 'completion', shell, script }, script)
    }
    const words = wordsOf(line)
    const candidates = complete(program, words, namesIn(cli, dataDirIn(words) ?? options))
    if (cli.out.isJson) return cli.out.print({ type: 'candidates', candidates }, '')
    for (const candidate of candidates) cli.out.print(null, shown(shell, candidate, words.at(-1) ?? ''))
  }

/** The line being completed may name a data directory itself. */
function dataDirIn(words: readonly string[]): { dataDir: string } | null {
  const value = words[words.indexOf('--data-dir') + 1]
  return words.includes('--data-dir') && value ? { dataDir: value } : null
}

/** Wallets by name, requests newest first, and rows last shown; a series also by name. */
function namesIn(cli: Cli, options: { dataDir?: string }): Names {
  const dataDir = dataDirOf(cli, options)
  return {
    wallets: () => {
      const sandbox = readSandbox(dataDir)
      const all = [...listKept(dataDir), ...(sandbox === null ? [] : walletsOf(sandbox))]
      return all.map(({ name, address }) => ({ word: name, about: address ?? '' }))
    },
    requests: () =>
      listSavedRequests(dataDir)
        .toSorted((a, b) => b.createdAt - a.createdAt)
        .map(({ request, createdAt }) => ({ word: request.requestId, about: `made ${when(createdAt, Date.now())}` })),
    rows: (list) => {
      const rows = listShownRows(dataDir, list)
      return [
        ...rows.map(({ row, name }) => ({ word: `@${row}`, about: name })),
        ...(list === 'series' ? rows.map(({ row, name }) => ({ word: name, about: `@${row}` })) : []),
      ]
    },
  }
}

/** Formatted for the shell. In bash `=` ends a word, so only the value is completed. */
function shown(shell: Shell, { word, about }: Candidate, current: string): string {
  if (shell === 'bash') return word
  const whole = `${/^--[\w-]+=/.exec(current)?.[0] ?? ''}${word}`
  return shell === 'zsh' ? `${whole}:${about}` : `${whole}\t${about}`
}
