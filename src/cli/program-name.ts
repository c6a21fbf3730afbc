import { basename, delimiter, dirname, relative } from 'node:path'
import type { Environment } from '@rfqctl/relay/config/sources'

/** First words of all commands: they identify a command line within a sentence. */
export const FIRST_WORDS = [
  ...['api', 'audit', 'bench', 'chain', 'claim', 'completion', 'config', 'dashboard', 'db', 'demo', 'doctor', 'events'],
  ...['faucet', 'init', 'keys', 'lister', 'login', 'maker', 'markets', 'price', 'relayer', 'serve', 'series', 'settle'],
  ...['signer', 'surface', 'taker', 'trigger', 'tx', 'up', 'wallet'],
] as const

const COMMAND_LINE = new RegExp(`(?<![\\w./-]|npx )rfqctl(?= (?:--help|(?:${FIRST_WORDS.join('|')})\\b))`, 'g')

/**
 * The command as typed here: `rfqctl` where it is on the path, `npx rfqctl` where npm started it, else its file.
 * `script` is the absolute path that Node was given.
 */
export function programName(start: { script: string; cwd: string; environment: Environment }): string {
  const { script, cwd, environment } = start
  if (environment.npm_command !== undefined) return 'npx rfqctl'
  const isOnPath = (environment.PATH ?? '').split(delimiter).includes(dirname(script))
  if (isOnPath && basename(script) === 'rfqctl') return 'rfqctl'
  const path = relative(cwd, script)
  const shortest = quoted(path.length < script.length ? path : script)
  return script.endsWith('.js') ? `node ${shortest}` : shortest
}

/** Adds this call's data directory, so that the next command finds what this one left. */
export function withDataDir(program: string, argv: readonly string[]): string {
  const at = argv.findLastIndex((word) => word === '--data-dir' || word.startsWith('--data-dir='))
  const dir = argv[at]?.startsWith('--data-dir=') ? argv[at].slice('--data-dir='.length) : argv[at + 1]
  return at < 0 || dir === undefined ? program : `${program} --data-dir ${quoted(dir)}`
}

/** Makes command lines in a text work when pasted. */
export const withProgramName = (program: string, text: string): string =>
  program === 'rfqctl' ? text : text.replaceAll(COMMAND_LINE, () => program)

const quoted = (word: string): string => (/^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)
