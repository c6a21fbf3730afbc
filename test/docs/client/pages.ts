import { decisionAddress } from '../decisions.ts'
import { type Docblock, type Tag, tagsOf } from './docblock.ts'
import type { Export, Property } from './extract.ts'

/** A page of the reference: the exports that it is about by name, or by what they are. */
export type Page = { file: string; title: string; lead: string; holds: (entry: Export) => boolean }

/** The section of types without members. */
const ALIASES = 'Names and units'

const anchorOf = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-')

const of =
  (...names: string[]) =>
  ({ name }: Export) =>
    names.includes(name)

/** The pages of the reference. What belongs on several is on the first of them. */
export const PAGES: readonly Page[] = [
  {
    file: 'taker.md',
    title: 'Taker',
    lead: 'For takers: ask for quotes, commit to the best one and fill the order that its maker signed.',
    holds: of('createTakerClient', 'TakerClient', 'TakerOptions'),
  },
  {
    file: 'maker.md',
    title: 'Maker',
    lead: 'For makers: receive quote requests, quote, and sign the orders that quotes win.',
    holds: of('createMakerClient', 'MakerClient', 'MakerOptions'),
  },
  {
    file: 'public-actions.md',
    title: 'Public calls',
    lead: 'For takers and makers, whose clients have these methods: they need neither a key nor an account.',
    holds: of('PublicActions'),
  },
  {
    file: 'wallet-actions.md',
    title: 'The wallet on the chain',
    lead: 'For takers and makers, whose clients have these methods: they need `account`, and `chain` with a `transport`.',
    holds: of('WalletActions'),
  },
  {
    file: 'keeper.md',
    title: 'Keeper',
    lead: 'For programs that settle expired series and claim what is owed.',
    holds: of('createKeeper', 'Keeper', 'KeeperOptions'),
  },
  {
    file: 'relayer.md',
    title: 'Relayer',
    lead: 'For takers without coin for gas: a relayer fills their orders, for a fee that they sign.',
    holds: of('createRelayerClient', 'RelayerClient', 'RelayerOptions', 'RelayerTerms', 'RelayedFill'),
  },
  {
    file: 'account.md',
    title: 'Account',
    lead: 'For users signed in at the identity provider: make and revoke maker API keys.',
    holds: of('createAccountClient', 'AccountClient', 'AccountOptions'),
  },
  {
    file: 'operator.md',
    title: 'Operator',
    lead: 'For operators: watch a relay, block makers, and resolve series that wait for a person.',
    holds: of('createOperatorClient', 'OperatorClient', 'OperatorOptions'),
  },
  {
    file: 'contract-calls.md',
    title: 'Calls of the contracts',
    lead: 'For owners, guardians, makers and holders: call data to send with a key or to propose to a multi-signature wallet.',
    holds: of('createContractCalls', 'ContractCalls', 'ContractCall', 'checkCall', 'createSafeBatch', 'SafeBatch'),
  },
  {
    file: 'functions.md',
    title: 'Functions',
    lead: 'For any program, without a relay: amounts, payoffs, ids, and the checks before a signature and a fill.',
    holds: ({ kind }) => kind === 'function' || kind === 'const',
  },
  {
    file: 'errors.md',
    title: 'Errors',
    lead: 'Every error of the library is an `RfqctlError`. [Error codes](../errors.md) explains each `code`.',
    holds: ({ kind }) => kind === 'class',
  },
  {
    file: 'types.md',
    title: 'Types',
    lead: 'The types that calls take and return, by name, with the meaning of their properties.',
    holds: ({ kind }) => kind === 'type',
  },
]

export const pageOf = (entry: Export): Page | undefined => PAGES.find(({ holds }) => holds(entry))

/** The page that leads to all others. */
export function renderIndex(exported: readonly Export[]): string {
  const lists = PAGES.map((page) => {
    const names = sorted(exported.filter((entry) => pageOf(entry) === page)).map(
      (entry) => `[\`${entry.name}\`](${page.file}#${isAlias(entry) ? anchorOf(ALIASES) : anchorOf(entry.name)})`,
    )
    return `## [${page.title}](${page.file})\n\n${page.lead}\n${page.file === 'types.md' ? '' : `\n${names.join(', ')}\n`}`
  })
  return `# The client library

\`import { createTakerClient } from 'rfqctl/client'\`: a taker, a maker, an operator over the public protocol, a keeper, and a client of relayers.
[examples](../../../examples) has whole programs.

\`npm install @rfqctl/client\` installs it alone, with [viem](https://viem.sh) for accounts and transports: 16 packages. \`rfqctl/client\` is the
same inside of the package \`rfqctl\`, which leaves the installation of viem to you.

- Amounts are bigints: \`Usd6\` counts micro-dollars, of a \`price\` per option, \`Contracts\` whole options.
- A time is in Unix milliseconds of the relay's clock, unless its comment says Unix seconds, which are the chain's. A name ends in \`Ms\` for
  milliseconds and in \`At\` or \`Until\` for a time.
- An absent or null property means no, none or not known, unless its comment says more.
- Every call takes a \`signal\` and rejects with its reason when it aborts; it rejects with a \`RelayError\` when the relay refuses and with a
  \`RelayUnreachableError\` when none answers. **Throws** names what else to expect, and codes. \`onConnectionState\` receives each change of a connection.
- Clients take the relay's HTTP address as \`url\`; \`fetch\` and \`timing\` replace the global \`fetch\`, and clock and pauses.
- A type that only comes back has comments where a property needs a word; the types of the package have more.
- Examples, where a signature does not say enough, leave out their imports from \`rfqctl/client\` and viem. They take \`taker\`, \`maker\`,
  \`operator\`, \`user\`, \`keeper\`, \`log\`, \`relayer\` and \`calls\` to be clients, and \`request\`, \`commitment\`, \`announced\`, \`acceptance\`,
  \`fill\`, \`orderHash\`, \`seriesId\`, \`wallet\` and \`signal\` to come before in a trade.

Made from the docblocks of \`src/client/index.ts\`: \`npm run docs\`.

${lists.join('\n')}`
}

export function renderPage(page: Page, exported: readonly Export[]): string {
  const given = typesGiven(exported)
  const explained = new Set(exported.filter((entry) => !isAlias(entry)).map(({ name }) => name))
  const entries = sorted(exported.filter((entry) => pageOf(entry) === page))
  const aliases = entries.filter(isAlias)
  const others = entries.filter((entry) => !isAlias(entry))
  const shown = [
    ...(aliases.length === 0 ? [] : [renderAliases(aliases)]),
    ...others.map((entry) =>
      renderExport(entry, (type) => given.has(entry.name) && !explained.has(type.replace(/ \| null$/, ''))),
    ),
  ]
  return `# ${page.title}\n\n${page.lead} [The library](README.md)\n\n${shown.join('\n')}`
}

const sorted = (entries: readonly Export[]): Export[] =>
  entries.toSorted((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))

/** A type without members, which is one line. */
const isAlias = ({ kind, shapes, call }: Export): boolean => kind === 'type' && shapes.length === 0 && call === null

const renderAliases = (entries: readonly Export[]): string =>
  `## ${ALIASES}\n\n${fence(entries.map(({ source, doc }) => commented(typeLine(source), briefly(doc.text, ''))).join('\n'))}`

/** Whether a property of this type is explained to who gives it; a type with members explains itself. */
type NeedsWord = (type: string) => boolean

function renderExport(entry: Export, needsWord: NeedsWord): string {
  const { name, kind, doc, shapes, source, call } = entry
  const [only, ...others] = shapes
  const isTable = only !== undefined && others.length === 0
  const methods = isTable ? only.properties.filter(isMethod) : []
  const shown =
    kind === 'type' && call === null
      ? typeText(entry, needsWord)
      : kind === 'class'
        ? classText(entry)
        : kind === 'function'
          ? ''
          : headOf(source, doc)
  return [
    `## ${name}\n`,
    repeats(doc.text, name) ? '' : paragraph(kind === 'type' ? briefly(doc.text, '').replace(REJECTS, '') : doc.text),
    shown === '' ? '' : isShort(shown) ? `\`${typeLine(shown)}\`\n` : fence(shown),
    kind === 'function' ? `\`${signatureOf(headOf(source, doc))}\`\n` : '',
    renderTags(doc, {
      isFirst: /^create\w+Client$/.test(name),
      general: [],
      type: call?.returns ?? '',
      names: `${name} ${source}`,
    }),
    ...methods.map((method) => renderMethod(method, namesIn(doc.text))),
  ]
    .filter((part) => part !== '')
    .join('\n')
}

/** A declaration without comments that fits on a line. */
const isShort = (shown: string): boolean => !shown.includes('//') && typeLine(shown).length < 100

/** A function that is called, and not one that the caller gives. */
const isMethod = ({ call, doc }: Property): boolean => call !== null && tagsOf(doc, 'example').length > 0

const renderMethod = ({ name, isOptional, type, doc, call }: Property, general: readonly string[]): string =>
  [
    `### ${name}\n`,
    paragraph(doc.text),
    `\`${name}${isOptional ? '?' : ''}${signatureOf(type)}\`\n`,
    renderTags(doc, { isFirst: false, general, type: call?.returns ?? '', names: `${name} ${type}` }),
  ]
    .filter((part) => part !== '')
    .join('\n')

/** How a function is called. README.md says that each takes a signal. */
const signatureOf = (type: string): string =>
  typeLine(type)
    .replace(/^async |^type \w+ = | = (?=\()/g, '')
    .replace(/\( /, '(')
    .replace(/,? \) =>/, ') =>')
    .replace(/(?:, )?options\?: CallOptions| & CallOptions/, '')
    .replace(/^(\(.*?\)) => /, '$1: ')

/** The members of a type with what each means; the heading has its name. */
function typeText({ name, shapes }: Export, needsWord: NeedsWord): string {
  const [only, ...others] = shapes
  if (only === undefined) return ''
  if (others.length > 0) {
    return shapes
      .map(({ source, doc }) => commented(`| ${typeLine(source)}`, cellText(doc).replace(NONE, '').replace(CLOCK, '')))
      .join('\n')
  }
  const properties = only.properties.filter((property) => !isMethod(property))
  if (properties.length === 0 && only.properties.length > 0 && only.includes.length === 0) return ''
  const included = only.includes.map(typeLine).join(' & ')
  if (properties.length === 0) return included
  return [
    `${included === '' ? '' : `${included} & `}{`,
    ...properties.map((one) => propertyText(one, name, needsWord)),
    '}',
  ].join('\n')
}

const classText = ({ name, shapes }: Export): string => {
  const properties = (shapes[0]?.properties ?? []).map((one) => propertyText(one, name, () => true))
  return properties.length === 0 ? '' : ['{', ...properties, '}'].join('\n')
}

function propertyText({ name, isOptional, type, doc }: Property, owner: string, needsWord: NeedsWord): string {
  const text = briefly(cellText(doc), name, type)
  const isShown =
    !repeats(text, `${owner} ${name} ${type}`) &&
    !SAID.includes(cellText(doc)) &&
    (needsWord(type) || MEANING.test(cellText(doc)))
  return commented(`  ${name}${isOptional ? '?' : ''}: ${typeLine(type)}`, isShown ? text : '')
}

/** A unit, a bound, a condition, or the meaning of an absent value. */
const MEANING =
  /`|\d|%|\b(?:null|absent|empty|only|none|never|first|newest|oldest|final|still|unless|until|limit|half|besides|seconds?|decimal|hash|bytes|share|options)\b/i

/** The types that a caller makes or passes on, by what takes them. */
function typesGiven(exported: readonly Export[]): ReadonlySet<string> {
  const byName = new Map(exported.map((entry) => [entry.name, entry]))
  const given = new Set<string>()
  const visit = (name: string): void => {
    const entry = byName.get(name)
    if (entry === undefined || given.has(name)) return
    given.add(name)
    for (const reference of entry.references) visit(reference)
  }
  for (const { kind, source, shapes } of exported) {
    const methods = shapes.flatMap(({ properties }) => properties.filter(isMethod))
    const takers = [
      ...(kind === 'function' ? [source] : []),
      ...methods.map(({ type }) => type.replace(/=>(?![\s\S]*=>)[\s\S]*$/, '')),
    ]
    for (const name of takers.flatMap((text) => text.replace(/\):[^:]*$/, '').match(/\b[A-Z]\w+/g) ?? [])) visit(name)
  }
  return given
}

/** Units that a type implies, which README.md or the type's own comment tells. */
const UNITS: readonly [type: RegExp, unit: RegExp][] = [
  [/\bUsd6\b/, /,? ?(?:in )?\b[Mm]icro-dollars\b/],
  [/\bResolutionBps\b/, /,? (?:in )?hundredths of \$1/],
  [/\bStrikeBps\b/, /,? (?:in )?hundredths of a percent of \$1/],
  [/\bContracts\b/, /,? in options(?=\.)/],
]

/** A comment without what README.md says of all: an article, the unit of a name or type, an absent or null that only means none. */
function briefly(text: string, name: string, type = ''): string {
  const [, unit = /(?!)/] = UNITS.find(([of]) => of.test(type)) ?? []
  return upperFirst(
    text
      .replace(/^(?:The|An?) (?=\w)(?![^.;:]*, (?:the|its|an?|and) )/, '')
      .replace(/^Number of (?=\w)/, /\bContracts\b|\bnumber\b/.test(type) ? '' : '$&')
      .replace(' of chain time', '')
      .replace(/^(?:Micro-dollars )?[Pp]er option\.$/, name === 'price' ? '' : '$&')
      .replace(/^Whether (?=\w)/, /\b(?:boolean|true)\b/.test(type) ? '' : '$&')
      .replace(unit, '')
      .replace(/ Times are Unix milliseconds\.|[,;] Unix milliseconds(?=[.;]|$)|^Unix milliseconds; /g, '')
      .replace(/, milliseconds(?=[.;]|$)/, (each) => (name.endsWith('Ms') ? '' : each))
      .replace(NONE, '')
      .trim(),
  )
}

/** An absent or null that means no, none, not yet or not known. */
const NONE =
  /[,;] (?:null|absent)(?:: (?:no|none|never|it did not|not known|they do not)| for none| without (?:one|it)| before the first(?: one)?| (?:where|when|while|if|unless) (?:there is none|there is no average|no one is|no one does|none is|none does|none is known|none is asked|it is not known|it gave none|the relay knows none|it has none|it did not|it does not|it is open|it is unsettled|it is not|a person did|they could not be counted|the chain cannot be read|the relay does not (?:share|show) it))(?=\.)/

/** README.md says it of every time. */
const CLOCK = /`\w+` is the relay's clock(?:, Unix milliseconds)?[;.] ?/

const typeLine = (source: string): string =>
  oneLine(
    source
      .replace(/([{<])\s*\n\s*/g, (_, open: string) => (open === '<' ? '<' : '{ '))
      .replace(/,?\s*\n\s*>/g, '>')
      .replace(/\s*\n\s*\}/g, ' }')
      .replace(/([^\s|&({<,=])\n\s*(?![\s|&>)])/g, '$1; '),
  ).replace(/(^|[=(<] ?)\| /g, '$1')

/** Code with what it means behind it, or above it where that is long. */
function commented(line: string, text: string): string {
  if (text === '') return line
  const comment = oneLine(text)
  const [indent = ''] = /^ */.exec(line) ?? []
  return line.length + comment.length < WIDTH ? `${line} // ${comment}` : `${wrapped(comment, indent)}\n${line}`
}

function wrapped(text: string, indent: string): string {
  const lines: string[] = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last.length + word.length + indent.length + 4 > WIDTH) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines.map((line) => `${indent}// ${line}`).join('\n')
}

/** The declaration of a function, its parameter by the name that its docblock gives it. */
function headOf(source: string, doc: Docblock): string {
  const [first] = tagsOf(doc, 'param')
  const name = first?.name?.split('.')[0] ?? 'options'
  return source
    .replace(/^(async )?(?:function\*? |const )/, '$1')
    .replace(/\((?:\{[^{}]*\}|\{\n[\s\S]*?\n\}): /, `(${name}: `)
}

/** Words that say nothing of their own. */
const EMPTY =
  /^(?:a|an|and|as|by|each|every|for|from|in|is|it|its|of|on|or|that|the|this|time|to|until|value|was|which|with|number|amount|whether)$/

const wordsOf = (text: string): string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !EMPTY.test(word))
    .map((word) => word.replace(/(?:es|s|ed|e)$/, ''))

/** Whether a text says only what the names say. */
function repeats(text: string, names: string): boolean {
  const known = wordsOf(names)
  return wordsOf(text).every((word) => known.includes(word))
}

/** Whether a parameter is one object, whose type explains its members. */
const isExplained = (name: string, text: string): boolean => /^(?:input|options)$/.test(name) && !MEANING.test(text)

type TagContext = { isFirst: boolean; general: readonly string[]; type: string; names: string }

function renderTags(doc: Docblock, { isFirst, general, type, names }: TagContext): string {
  const parameters = tagsOf(doc, 'param').filter(
    ({ name, text }) => !repeats(text, `${name} ${names}`) && !SAID.includes(text) && !isExplained(`${name}`, text),
  )
  const returns = tagsOf(doc, 'returns')
    .map(({ text }) => text)
    .filter((text) => !repeats(text, type) && !/^(?:Nothing(?:, (?:once|at) .*)?|Micro-dollars)\.?$/i.test(text))
  const throws = tagsOf(doc, 'throws').filter(({ text }) => !SAID.includes(text) && !isGeneral(text, general))
  const examples = tagsOf(doc, 'example').filter(({ text }) => isFirst || !ONE_CALL.test(withoutImports(text)))
  return [
    ...(parameters.length === 0
      ? []
      : [
          `${parameters.map(({ name, text }) => `- \`${name}\`: ${linked(briefly(oneLine(text), `${name}`))}`).join('\n')}\n`,
        ]),
    ...returns.map((text) => paragraph(`**Returns** ${lowerFirst(text)}`)),
    ...throws.map((tag) => paragraph(`**Throws** ${withCodes(tag)}`)),
    ...examples.map(({ text }) => fence(isFirst ? text : withoutImports(text))),
  ].join('\n')
}

/** An example that only calls, as the signature shows, and prints what came back. */
const ONE_CALL =
  /^(?:(?:const [^\n]+ = )(?:\([^\n]*\) => )?)?(?:await )?[\w.]+\([^\n]*\)(?:\n(?:if \([^\n]*\) )?console\.log\([^\n]*\))?$|^(?:if|for await|for) \([^\n]*\) (?:console\.log|await [\w.]+)\([^\n]*\)$/

/** The names of errors and codes that a text has in backticks. */
const namesIn = (text: string): string[] => [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)

/** Facts that README.md says of every call, and the texts of clients of all their calls. */
const SAID = [
  'May carry a signal.',
  'Receiver of the payment.',
  'Receiver of the collateral.',
  'Receives each change of the connection.',
  "The relay's HTTP address.",
  'Replacement for the global `fetch`.',
  "Replacement for the machine's clock and the usual pauses.",
  'RelayError when the relay refuses.',
  'RelayUnreachableError when no relay answers.',
  'ClientSetupError without an account, or without a transport.',
  'RelayError where the series are asked of the relay and it refuses.',
]

/** README.md says it of every call. */
const REJECTS =
  /\s*Besides the errors named, every call rejects with `RelayError`, with `RelayUnreachableError`,\s+or\s+with\s+the\s+reason\s+of\s+its\s+signal\./

/** Whether errors are named without a condition, and the text of the client names them, too. */
const isGeneral = (text: string, general: readonly string[]): boolean =>
  oneLine(text)
    .replace(/^RelayError |\.$/g, '')
    .split(/, | and /)
    .every((name) => general.includes(name.replaceAll('`', '')))

const withoutImports = (example: string): string => example.replace(/^import [\s\S]*? from '[^']+'\n/gm, '').trimStart()

const WIDTH = 150
const upperFirst = (text: string): string => text.replace(/^[a-z]/, (letter) => letter.toUpperCase())
const lowerFirst = (text: string): string => (/^[A-Z][a-z]/.test(text) ? text[0]?.toLowerCase() + text.slice(1) : text)
const withCodes = ({ text }: Tag): string => text.replace(/`([a-z_]+)`/g, '[`$1`](../errors.md#$1)')
const fence = (source: string): string => `\`\`\`ts\n${source}\n\`\`\`\n`
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
const paragraph = (text: string): string => (text === '' ? '' : `${linked(text)}\n`)
const cellText = (doc: Docblock): string =>
  oneLine([doc.text, ...tagsOf(doc, 'returns').map(({ text }) => text)].join(' '))

/** Leads from a decision to what it says. */
const linked = (text: string): string =>
  text.replace(
    /\bdecisions? ([A-Z]\d+)\b/g,
    (cited, id) => `[${cited}](../../internals/decisions/${decisionAddress(id)})`,
  )
