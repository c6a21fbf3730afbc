import type { Command, Option } from 'commander'
import { expect, it } from 'vitest'
import { commandTree, examplesOf } from '../cli/help-texts.ts'
import { run } from '../cli/support.ts'
import { code } from './markdown.ts'

type Group = { name: string; with: readonly string[]; of: string; longs: readonly string[] }

/** Options that commands have together, with those of other groups, as one of these commands describes them. */
const GROUPS: readonly Group[] = [
  {
    name: 'server',
    with: [],
    of: 'serve',
    longs: ['--host', '--port', '--memory', '--no-chain', '--chain-port', '--rpc', '--database-url', '--redis-url'],
  },
  { name: 'relay', with: [], of: 'chain halt', longs: ['--url'] },
  { name: 'chain', with: [], of: 'chain halt', longs: ['--rpc'] },
  { name: 'key', with: [], of: 'chain halt', longs: ['--key-file', '--key-stdin'] },
  { name: 'account', with: ['key'], of: 'chain halt', longs: ['--account'] },
  { name: 'wallet', with: ['relay', 'chain', 'account'], of: 'chain halt', longs: [] },
  { name: 'send', with: ['wallet'], of: 'chain halt', longs: ['--yes', '--calldata', '--from'] },
  { name: 'amount', with: [], of: 'taker spread', longs: ['--budget', '--size'] },
  { name: 'payment', with: [], of: 'taker buy', longs: ['--permit', '--pay', '--relayer', '--max-fee'] },
  { name: 'bounds', with: [], of: 'taker buy', longs: ['--fill', '--limit', '--min'] },
  { name: 'trade', with: ['wallet', 'payment', 'bounds'], of: 'taker buy', longs: ['--wait'] },
  { name: 'closing', with: ['send'], of: 'taker close', longs: ['--amount', '--to'] },
  { name: 'signing wallet', with: ['wallet'], of: 'maker quote', longs: ['--maker'] },
  { name: 'end', with: [], of: 'maker simulate', longs: ['--for'] },
  { name: 'decision', with: [], of: 'settle review resolve', longs: ['--by', '--reason'] },
  { name: 'note', with: [], of: 'maker block', longs: ['--by', '--reason'] },
  { name: 'price', with: [], of: 'settle manual propose', longs: ['--price'] },
  { name: 'batch', with: [], of: 'markets import', longs: ['--calldata', '--safe'] },
  {
    name: 'listing',
    with: [],
    of: 'lister run',
    longs: ['--from', '--query', '--condition-id', '--max-markets', '--strikes', '--expiries', '--types'],
  },
]

/** The page describes once how a row or an id is given. */
const ROW = /a row of the last ("[a-z ]+") such as @1, or ((?:an?|its) [^,(]+?), which may be shortened/

const program = commandTree()
const help = program.createHelp()
const leaves = leavesOf(program)

const ACCOUNT = optionOf('chain halt', '--account')

function leavesOf(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf)
}

function pathOf(command: Command): string {
  return command.parent === null ? '' : `${pathOf(command.parent)} ${command.name()}`.trim()
}

function optionOf(path: string, long: string): Option {
  const option = leaves.find((command) => pathOf(command) === path)?.options.find((one) => one.long === long)
  if (option === undefined) throw new Error(`rfqctl ${path} has no ${long}`)
  return option
}

/** Arguments that many commands have, as the page describes them once; others differ in the default. */
const ARGUMENTS = [
  'series: a row of "series list", or a name or seriesId',
  'request: a row of "taker requests", or a requestId (default: your newest request)',
  'quote: a quoteId or requestId, which may be shortened (default: the one that waits)',
  'wallet: an address; its key is not needed (default: that of --account)',
  'signer: address of the key',
  'address: who shall hold the role',
  'name: name of the wallet for --account',
  'makerId: the maker, as "maker standing" names it',
].map((line) => item(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)))

function argumentsOf({ registeredArguments }: Command): string[] {
  return registeredArguments
    .map((one) => item(help.argumentTerm(one), help.argumentDescription(one).replace(ROW, 'a row of $1, or $2')))
    .filter((line) => !ARGUMENTS.includes(line))
    .map((line) => line.replace(/^(?!- `series`)(.*: )a row of "series list", or a name or seriesId/, '$1a series'))
    .map((line) => line.replace(/^(- `series`): .* (?=\(default: )/, '$1 '))
}

function item(term: string, about: string): string {
  return `- ${code(term)}: ${about}`
}

/** Flags or a description that name every choice need no list of them. */
function aboutOption(option: Option): string {
  const about = help.optionDescription(option)
  const named = option.argChoices?.every((choice) =>
    new RegExp(`\\b${choice}\\b`).test(`${option.flags} ${option.description}`),
  )
  return named ? about.replace(/ \(choices: [^)]*\)/, '') : about
}

const optionItem = (option: Option): string =>
  item(help.optionTerm(option), `${aboutOption(option)}${option.mandatory ? ' (required)' : ''}`)

const ownOptions = ({ of, longs }: Group): Option[] => longs.map((long) => optionOf(of, long))

const allOptions = (group: Group): Option[] => [
  ...ownOptions(group),
  ...GROUPS.filter(({ name }) => group.with.includes(name)).flatMap(allOptions),
]

/** Commands may differ in the default of --account alone, which their entry names. */
const isIn = (options: readonly Option[], one: Option): boolean =>
  options.some(
    (other) =>
      other.flags === one.flags &&
      (one.long === '--account' ? other.description === one.description : optionItem(other) === optionItem(one)),
  )

/** The largest groups that the options of a command contain. */
function groupsIn(options: readonly Option[]): Group[] {
  const found = GROUPS.filter((group) => allOptions(group).every((option) => isIn(options, option)))
  return found.filter(({ name }) => !found.some((other) => namesIn(other).includes(name)))
}

const namesIn = (group: Group): string[] => [
  ...group.with,
  ...GROUPS.filter(({ name }) => group.with.includes(name)).flatMap(namesIn),
]

async function renderCommand(command: Command): Promise<string> {
  const [example = ''] = await examplesOf(pathOf(command))
  const options = command.options.filter(({ hidden }) => !hidden)
  const groups = groupsIn(options)
  const shared = groups.flatMap(allOptions)
  const wallet = isIn(shared, ACCOUNT) ? options.find((option) => isIn([ACCOUNT], option))?.defaultValue : undefined
  const usage = help.commandUsage(command).replace('rfqctl ', '').replace(' [options]', '')
  const named = `${groups.map(({ name }) => `*${name}*`).join(', ')}${wallet === undefined ? '' : `; ${code(wallet)}`}`
  const items = [...argumentsOf(command), ...options.filter((option) => !isIn(shared, option)).map(optionItem)]
  return [
    `### ${code(usage)}\n`,
    `${command.description()}${groups.length === 0 ? '' : ` (${named})`}${showsMore(example) ? `: ${code(example)}` : ''}`,
    ...(items.length === 0 ? [] : ['', ...items]),
  ].join('\n')
}

/** Whether an example joins many options; the list explains one or two. */
const showsMore = (example: string): boolean => / --.* --.* --/.test(example.replace(/ --account \S+/, ''))

const optionText = (option: Option): string =>
  option === ACCOUNT ? item(option.flags, option.description) : optionItem(option)

const renderGroup = (group: Group): string =>
  [
    `**${group.name}**${group.with.length === 0 ? '' : `, with ${group.with.map((name) => `*${name}*`).join(', ')}`}\n`,
    ...ownOptions(group).map(optionText),
  ]
    .join('\n')
    .trimEnd()

async function renderNoun(noun: Command): Promise<string> {
  const commands = await Promise.all(leavesOf(noun).map(renderCommand))
  return commands.length === 1
    ? `${commands.join('').replace('###', '##')}\n`
    : `## ${noun.name()}\n\n${commands.join('\n\n')}\n`
}

async function page(): Promise<string> {
  const { stdout } = await run(['--help'])
  const [, ends = ''] = stdout.split('\nEnvironment:\n')
  const nouns = await Promise.all(program.commands.map(renderNoun))
  return `# Commands

For people who type \`rfqctl\` and who script it: every command with its options. \`rfqctl COMMAND --help\` adds
examples. stdout is data, stderr is talk. Made from the help: \`npm run docs\`.

## Options of every command

${program.options.map(optionItem).join('\n')}

## Options of many commands

A command names its groups in parentheses, and then its default of \`--account\`.

${GROUPS.map(renderGroup).join('\n\n')}

## Rows and ids

A row is one of the list last shown, such as @1. An id may be shortened. Commands do not repeat these arguments:

${ARGUMENTS.join('\n')}

## Environment and exit codes

\`\`\`text
Environment:
${ends.trimEnd()}
\`\`\`

${nouns.join('\n')}`
}

it('the page of commands says what their help says', async () => {
  await expect(await page()).toMatchFileSnapshot('../../docs/reference/commands.md')
})
