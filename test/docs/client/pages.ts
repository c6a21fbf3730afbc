import { decisionAddress } from '../decisions.ts'
import { type Docblock, type Tag, tagsOf } from './docblock.ts'
import type { Export, Property, Shape } from './extract.ts'

/** A page of the reference: the exports that it is about by name, or by what they are. */
export type Page = { file: string; title: string; lead: string; holds: (entry: Export) => boolean }

const of =
  (...names: string[]) =>
  ({ name }: Export) =>
    names.includes(name)

/** The pages of the reference. What belongs on several is on the first of them. */
export const PAGES: readonly Page[] = [
  {
    file: 'taker.md',
    title: 'Taker',
    lead: 'Asks for quotes, commits to the best one and fills the order that its maker signed.',
    holds: of('createTakerClient', 'TakerClient', 'TakerOptions'),
  },
  {
    file: 'maker.md',
    title: 'Maker',
    lead: 'Hears quote requests, quotes, and signs the orders that its quotes win.',
    holds: of('createMakerClient', 'MakerClient', 'MakerOptions'),
  },
  {
    file: 'public-actions.md',
    title: 'What anybody may ask',
    lead: 'Every taker and maker client has these methods. They need neither a key nor an account.',
    holds: of('PublicActions'),
  },
  {
    file: 'wallet-actions.md',
    title: 'The wallet on the chain',
    lead: 'Every taker and maker client has these methods. They need `account`, and `chain` with a `transport`.',
    holds: of('WalletActions'),
  },
  {
    file: 'keeper.md',
    title: 'Keeper',
    lead: 'Settles what expires and claims what is owed.',
    holds: of('createKeeper', 'Keeper', 'KeeperOptions'),
  },
  {
    file: 'relayer.md',
    title: 'Relayer',
    lead: 'Has orders filled for a taker who has no coin for gas, for a fee that it signs.',
    holds: of('createRelayerClient', 'RelayerClient', 'RelayerOptions', 'RelayerTerms', 'RelayedFill'),
  },
  {
    file: 'account.md',
    title: 'Account',
    lead: 'Makes and revokes maker API keys for whoever is signed in at the identity provider.',
    holds: of('createAccountClient', 'AccountClient', 'AccountOptions'),
  },
  {
    file: 'operator.md',
    title: 'Operator',
    lead: 'Watches a relay, blocks makers, and resolves series that wait for a person.',
    holds: of('createOperatorClient', 'OperatorClient', 'OperatorOptions'),
  },
  {
    file: 'contract-calls.md',
    title: 'Calls of the contracts',
    lead: 'What is sent by hand, as call data: for a wallet of one key to send, or for a multi-signature wallet to be told.',
    holds: of('createContractCalls', 'ContractCalls', 'ContractCall', 'checkCall', 'createSafeBatch', 'SafeBatch'),
  },
  {
    file: 'functions.md',
    title: 'Functions',
    lead: 'What needs no relay: amounts, payoffs, ids, and the checks before a signature and a fill.',
    holds: ({ kind }) => kind === 'function' || kind === 'const',
  },
  {
    file: 'errors.md',
    title: 'Errors',
    lead: 'Every error of the library is an `RfqctlError`. [The table of codes](../errors.md) explains each `code`.',
    holds: ({ kind }) => kind === 'class',
  },
  {
    file: 'types.md',
    title: 'Types',
    lead: 'What goes in and what comes out.',
    holds: ({ kind }) => kind === 'type',
  },
]

/** Where an export is. */
export const pageOf = (entry: Export): Page | undefined => PAGES.find(({ holds }) => holds(entry))

/** The page that leads to all others. */
export function renderIndex(exported: readonly Export[]): string {
  const lists = PAGES.map((page) => {
    const names = sorted(exported.filter((entry) => pageOf(entry) === page)).map(
      ({ name }) => `[\`${name}\`](${page.file}#${name.toLowerCase()})`,
    )
    return `## [${page.title}](${page.file})\n\n${page.lead}\n\n${names.join(' · ')}\n`
  })
  return `# The client library

\`import { createTakerClient } from 'rfqctl/client'\`: a taker, a maker, an operator over the public protocol, a keeper, and a client of relayers. It
needs [viem](https://viem.sh) for accounts and transports. Whole programs are in [examples](../../../examples).

\`npm install @rfqctl/client\` installs it alone, with viem: 16 packages. \`rfqctl/client\` is the same inside the package \`rfqctl\`, which
leaves the installation of viem to you.

Amounts are bigints: \`Usd6\` counts micro-dollars, \`Contracts\` whole options. A time is in Unix milliseconds where the relay's
clock counts, and in Unix seconds where the chain's does; each property says which. Every call takes a \`signal\` and rejects
with its reason when it aborts.

The examples take \`taker\`, \`maker\`, \`operator\`, \`user\`, \`keeper\`, \`relayer\` and \`calls\` to be clients that were made before, and \`request\`,
\`commitment\`, \`announced\`, \`acceptance\`, \`fill\`, \`orderHash\`, \`seriesId\`, \`wallet\` and \`signal\` to be what came before in a trade.

These pages are made from the docblocks of \`src/client/index.ts\`: \`npm run docs\`.

${lists.join('\n')}`
}

/** A page. */
export function renderPage(page: Page, exported: readonly Export[]): string {
  const entries = sorted(exported.filter((entry) => pageOf(entry) === page))
  const text = `# ${page.title}\n\n${page.lead} Back to [the library](README.md).\n\n${entries.map(renderExport).join('\n')}`
  const addresses = new Map(exported.map((entry) => [entry.name, `${pageOf(entry)?.file}#${entry.name.toLowerCase()}`]))
  return text.replace(/^With everything of .*$|^.* One of those\. \|$/gm, (line) =>
    line.replace(/`(\w+)`/g, (name, plain) => (addresses.has(plain) ? `[${name}](${addresses.get(plain)})` : name)),
  )
}

const sorted = (entries: readonly Export[]): Export[] =>
  entries.toSorted((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))

function renderExport(entry: Export): string {
  const { name, kind, doc, shapes, source } = entry
  const [only, ...others] = shapes
  const isTable = only !== undefined && others.length === 0
  const methods = isTable ? only.properties.filter(isMethod) : []
  const shown = kind !== 'type' || shapes.length === 0 ? [fence(source)] : []
  return [
    `## ${name}\n`,
    ...shown,
    paragraph(doc.text),
    ...(isTable ? [renderShape(only)] : [variantTable(shapes)]),
    renderTags(doc),
    ...methods.map(renderMethod),
  ]
    .filter((part) => part !== '')
    .join('\n')
}

/** A function that is called, and not one that the caller gives. */
const isMethod = ({ call, doc }: Property): boolean => call !== null && tagsOf(doc, 'example').length > 0

const renderMethod = ({ name, isOptional, type, doc }: Property): string =>
  [`### ${name}\n`, fence(`${name}${isOptional ? '?' : ''}: ${oneLine(type)}`), paragraph(doc.text), renderTags(doc)]
    .filter((part) => part !== '')
    .join('\n')

function renderShape({ properties, includes }: Shape): string {
  const rows = properties
    .filter((property) => !isMethod(property))
    .map(({ name, isOptional, type, doc }) => row([code(`${name}${isOptional ? '?' : ''}`), code(type), cell(doc)]))
  const with_ = includes.length === 0 ? '' : paragraph(`With everything of ${includes.map(code).join(' and ')}.`)
  return [rows.length === 0 ? '' : table(['property', 'type', ''], rows), with_]
    .filter((part) => part !== '')
    .join('\n')
}

function variantTable(shapes: readonly Shape[]): string {
  if (shapes.length === 0) return ''
  return table(
    ['one of', ''],
    shapes.map(({ source, doc, includes }) => row([code(source), includes.length > 0 ? 'One of those.' : cell(doc)])),
  )
}

function renderTags(doc: Docblock): string {
  const parameters = tagsOf(doc, 'param').map(({ name, text }) => row([code(name ?? ''), linked(oneLine(text))]))
  return [
    ...(parameters.length === 0 ? [] : [table(['parameter', ''], parameters)]),
    ...tagsOf(doc, 'returns').map(({ text }) => paragraph(`**Returns** ${lowerFirst(text)}`)),
    ...tagsOf(doc, 'throws').map((tag) => paragraph(`**Throws** ${withCodes(tag)}`)),
    ...tagsOf(doc, 'example').map(({ text }) => fence(text)),
  ].join('\n')
}

const lowerFirst = (text: string): string => (/^[A-Z][a-z]/.test(text) ? text[0]?.toLowerCase() + text.slice(1) : text)
const withCodes = ({ text }: Tag): string => text.replace(/`([a-z_]+)`/g, '[`$1`](../errors.md#$1)')
const fence = (source: string): string => `\`\`\`ts\n${source}\n\`\`\`\n`
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
const paragraph = (text: string): string => (text === '' ? '' : `${linked(text)}\n`)
const cell = ({ text, tags }: Docblock): string =>
  linked(oneLine([text, ...tags.map(({ text: more }) => more)].join(' ')))
const code = (text: string): string => `\`${oneLine(text).replace(/^\| /, '').replaceAll('|', '\\|')}\``
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
const table = (head: readonly string[], rows: readonly string[]): string =>
  `${[row(head), row(head.map(() => '---')), ...rows].join('\n')}\n`

/** Leads from a decision to what it says. */
const linked = (text: string): string =>
  text.replace(
    /\bdecisions? ([A-Z]\d+)\b/g,
    (cited, id) => `[${cited}](../../internals/decisions/${decisionAddress(id)})`,
  )
