import type { Argument, Command, Option } from 'commander'
import type { ListName } from '../context/shown-rows.ts'

/** A possible completion; `about` is its description. */
export type Candidate = { word: string; about: string }

/** Names from the data directory. They are read only where one of them could be completed. */
export type Names = {
  wallets: () => readonly Candidate[]
  requests: () => readonly Candidate[]
  /** Rows of the list last shown, and other names of the same kind. */
  rows: (list: ListName) => readonly Candidate[]
}

/** Arguments and options that take a row, by name. */
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

/** The cursor's position in the command tree; `pending` is the option whose value is being typed. */
type Place = { command: Command; told: readonly string[]; positionals: number; pending: Option | null }

/** Candidates for the last of the words; the first is the program's name. No relay is asked. */
export function complete(program: Command, words: readonly string[], names: Names): Candidate[] {
  const current = words.at(-1) ?? ''
  const place = placeOf(program, words.slice(1, -1))
  const { command, pending, positionals } = place
  const [, flag = '', start = ''] = /^(--[\w-]+)=(.*)$/.exec(current) ?? []
  const assigned = optionsOf(command).find((option) => option.long === flag && takesValue(option))
  if (assigned !== undefined) return startingWith(start, valuesOf(assigned, names))
  if (pending !== null) return startingWith(current, valuesOf(pending, names))
  if (current.startsWith('-')) return startingWith(current, flagsOf(place))
  const commands = positionals === 0 ? command.commands.map(candidateOf) : []
  const last = command.registeredArguments.at(-1)
  const argument = command.registeredArguments[positionals] ?? (last?.variadic ? last : undefined)
  return startingWith(current, [...commands, ...(argument === undefined ? [] : valuesOf(argument, names))])
}

/** Descends the command tree as far as the words match. */
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

/** Long names of the options whose value is a path, for shells that need them. */
export function pathOptions(command: Command): string[] {
  const own = command.options.filter(({ flags }) => flags.includes('<path')).flatMap(({ long }) => long ?? [])
  return [...new Set([...own, ...command.commands.flatMap(pathOptions)])]
}

/**
 * Splits a line like a shell, up to the cursor. The last word is the one being typed, empty after a space; quoted text
 * is one word, even before its closing quote.
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
