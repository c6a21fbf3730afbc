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

/** Prints the script of a shell or, for that script, what the line so far could go on with. */
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

/** The directory that the line itself names. */
function dataDirIn(words: readonly string[]): { dataDir: string } | null {
  const value = words[words.indexOf('--data-dir') + 1]
  return words.includes('--data-dir') && value ? { dataDir: value } : null
}

/** Wallets by their names, requests, the newest first, and what was shown by its row; a series by its name, too. */
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

/** A candidate as its shell reads it. For bash `=` ends a word, so that only the value is asked for. */
function shown(shell: Shell, { word, about }: Candidate, current: string): string {
  if (shell === 'bash') return word
  const whole = `${/^--[\w-]+=/.exec(current)?.[0] ?? ''}${word}`
  return shell === 'zsh' ? `${whole}:${about}` : `${whole}\t${about}`
}
