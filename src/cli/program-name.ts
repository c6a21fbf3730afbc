import { basename, delimiter, dirname, relative } from 'node:path'
import type { Environment } from '@rfqctl/relay/config/sources'

/** The first words of all commands, by which a command line within a sentence is known. */
export const FIRST_WORDS = [
  ...['api', 'audit', 'bench', 'chain', 'claim', 'completion', 'config', 'dashboard', 'db', 'demo', 'doctor', 'events'],
  ...[
    'faucet',
    'init',
    'keys',
    'lister',
    'login',
    'maker',
    'markets',
    'relayer',
    'serve',
    'series',
    'settle',
    'signer',
    'taker',
  ],
  ...['trigger', 'tx', 'up', 'wallet'],
] as const

const COMMAND_LINE = new RegExp(`(?<![\\w./-]|npx )rfqctl(?= (?:--help|(?:${FIRST_WORDS.join('|')})\\b))`, 'g')

/**
 * How a person types this program here: `rfqctl` where it is on the path, `npx rfqctl` where npm started it, else by its
 * file. `script` is the absolute path that Node was given.
 */
export function programName({
  script,
  cwd,
  environment,
}: {
  script: string
  cwd: string
  environment: Environment
}): string {
  if (environment.npm_command !== undefined) return 'npx rfqctl'
  const isOnPath = (environment.PATH ?? '').split(delimiter).includes(dirname(script))
  if (isOnPath && basename(script) === 'rfqctl') return 'rfqctl'
  const path = relative(cwd, script)
  const shortest = quoted(path.length < script.length ? path : script)
  return script.endsWith('.js') ? `node ${shortest}` : shortest
}

/** The same with the data directory of this call, so that what is typed next finds what this one left. */
export function withDataDir(program: string, argv: readonly string[]): string {
  const at = argv.findLastIndex((word) => word === '--data-dir' || word.startsWith('--data-dir='))
  const dir = argv[at]?.startsWith('--data-dir=') ? argv[at].slice('--data-dir='.length) : argv[at + 1]
  return at < 0 || dir === undefined ? program : `${program} --data-dir ${quoted(dir)}`
}

/** A text with its command lines as they work when pasted. */
export const withProgramName = (program: string, text: string): string =>
  program === 'rfqctl' ? text : text.replaceAll(COMMAND_LINE, () => program)

/** A word as a shell reads it whole. */
const quoted = (word: string): string => (/^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)
