import type { Argument, Command, Option } from 'commander'
import type { ListName } from '../context/shown-rows.ts'

/** What a line could go on with: a word, and what it means. */
export type Candidate = { word: string; about: string }

/** Names that only this machine's data directory knows; they are asked for only where one of them could stand. */
export type Names = {
  wallets: () => readonly Candidate[]
  requests: () => readonly Candidate[]
  /** The rows of the list of a kind that was shown last, and what else names one. */
  rows: (list: ListName) => readonly Candidate[]
}

/** Of which list an argument or option takes a row, by its name. */
const LISTS: Readonly<Record<string, ListName>> = {
  series: 'series',
  bought: 'series',
  sold: 'series',
  put: 'series',
  call: 'series',
  one: 'series',
  other: 'series',
  market: 'markets',
  request: 'requests',
  key: 'keys',
}

/** Where someone types: the command so far, what it was told, and the option whose value is being typed. */
type Place = { command: Command; told: readonly string[]; positionals: number; pending: Option | null }

/** Candidates for the last of the words, the first being the program's own name. No relay is asked. */
export function complete(program: Command, words: readonly string[], names: Names): Candidate[] {
  const current = words.at(-1) ?? ''
  const place = placeOf(program, words.slice(1, -1))
  const { command, pending, positionals } = place
  const [, flag = '', start = ''] = /^(--[\w-]+)=(.*)$/.exec(current) ?? []
  const assigned = optionsOf(command).find((option) => option.long === flag && takesValue(option))
  if (assigned !== undefined) return startingWith(start, valuesOf(assigned, names))
  if (pending !== null) return startingWith(current, valuesOf(pending, names))
  if (current.startsWith('-')) return startingWith(current, flagsOf(place))
  if (command.commands.length > 0 && positionals === 0) return startingWith(current, command.commands.map(candidateOf))
  const last = command.registeredArguments.at(-1)
  const argument = command.registeredArguments[positionals] ?? (last?.variadic ? last : undefined)
  return argument === undefined ? [] : startingWith(current, valuesOf(argument, names))
}

/** Goes down the tree as far as the words lead. */
function placeOf(program: Command, words: readonly string[]): Place {
  return words.reduce<Place>(
    ({ command, told, positionals, pending }, word) => {
      if (pending !== null) return { command, told, positionals, pending: null }
      const option = optionsOf(command).find(({ long, short }) => word === long || word === short)
      if (option !== undefined) {
        return { command, told: [...told, word], positionals, pending: takesValue(option) ? option : null }
      }
      const child = command.commands.find((candidate) => candidate.name() === word)
      if (child !== undefined) return { command: child, told, positionals: 0, pending: null }
      return { command, told, positionals: positionals + (word.startsWith('-') ? 0 : 1), pending: null }
    },
    { command: program, told: [], positionals: 0, pending: null },
  )
}

/** The options of a command and of those above it. */
const optionsOf = (command: Command): Option[] =>
  command.parent === null ? [...command.options] : [...command.options, ...optionsOf(command.parent)]

const takesValue = ({ required, optional }: Option): boolean => required || optional

const flagsOf = ({ command, told }: Place): Candidate[] =>
  optionsOf(command)
    .filter(({ long, hidden }) => long !== undefined && long !== null && !hidden && !told.includes(long))
    .map(({ long, description }) => ({ word: long ?? '', about: description }))
    .concat({ word: '--help', about: 'display help for command' })

const candidateOf = (command: Command): Candidate => ({ word: command.name(), about: command.description() })

function valuesOf(of: Option | Argument, names: Names): readonly Candidate[] {
  const name = of.name()
  if (of.argChoices !== undefined) return of.argChoices.map((word) => ({ word, about: of.description }))
  if (name === 'account') return names.wallets()
  const list = LISTS[name]
  const requests = name === 'request' || name === 'requestId' ? names.requests() : []
  return list === undefined ? requests : [...names.rows(list), ...requests]
}

const startingWith = (start: string, candidates: readonly Candidate[]): Candidate[] =>
  candidates.filter(({ word }) => word.startsWith(start))

/** The long names of all options whose value is a path, for shells that are told so. */
export function pathOptions(command: Command): string[] {
  const own = command.options.filter(({ flags }) => flags.includes('<path')).flatMap(({ long }) => long ?? [])
  return [...new Set([...own, ...command.commands.flatMap(pathOptions)])]
}

/**
 * The words of a line as a shell would split it, up to where someone types. The last one is the one that is being typed,
 * empty after a space; what stands in quotes is one word, also while the quote is open.
 */
export function wordsOf(line: string): string[] {
  const words: string[] = ['']
  let quote = ''
  for (const character of line) {
    if (character === quote) quote = ''
    else if (quote === '' && (character === '"' || character === "'")) quote = character
    else if (quote === '' && character === ' ') words.push('')
    else words[words.length - 1] += character
  }
  return words.filter((word, index) => word !== '' || index === words.length - 1)
}
