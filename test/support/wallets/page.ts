import {
  type Cell,
  GASLESS_TAKERS,
  MAKER_WAYS,
  MAKERS,
  REASONS,
  type ReasonId,
  TAKER_WAYS,
  TAKERS,
  WALLETS,
  type WalletId,
} from './matrix.ts'

const REASON_IDS = Object.keys(REASONS) as ReasonId[]

/** A footnote's number: the same below every table. */
const numberOf = (reason: ReasonId): number => REASON_IDS.indexOf(reason) + 1

const textOf = (cell: Cell): string => (cell === 'works' ? 'yes' : `no (${numberOf(cell.no)})`)

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const IDS = Object.keys(WALLETS) as WalletId[]

/** A table of wallets against ways, a row for each wallet. */
function table<Way extends string>(
  ways: Readonly<Record<Way, { title: string }>>,
  cells: Readonly<Record<WalletId, Readonly<Record<Way, Cell>>>>,
  ids = IDS,
): string {
  const names = Object.keys(ways) as Way[]
  return [
    row(['wallet', ...names.map((way) => ways[way].title)]),
    row(['---', ...names.map(() => '---')]),
    ...ids.map((id) => row([WALLETS[id].title, ...names.map((way) => textOf(cells[id][way]))])),
  ].join('\n')
}

/** Wallets that cannot pay by a relayer as they pay by themselves. */
const DIFFERENT = IDS.filter((id) => JSON.stringify(GASLESS_TAKERS[id]) !== JSON.stringify(TAKERS[id]))

/** What is between the marks of docs/guides/wallets.md, by the name of each. */
const PARTS: Readonly<Record<string, string>> = {
  wallets: Object.values(WALLETS)
    .map(({ title, what }) => `- **${title}**: ${what}`)
    .join('\n'),
  makers: table(MAKER_WAYS, MAKERS),
  takers: table(TAKER_WAYS, TAKERS),
  gasless: table(TAKER_WAYS, GASLESS_TAKERS, DIFFERENT),
  reasons: REASON_IDS.map((id) => `${numberOf(id)}. ${REASONS[id]}`).join('\n'),
}

/** The page of wallets with every table as it is now; what people wrote around them stays. */
export const renewWalletPage = (page: string): string =>
  Object.entries(PARTS).reduce((text, [name, part]) => {
    const [begin, end] = [`<!-- ${name} -->`, `<!-- end ${name} -->`]
    const [first, last] = [text.indexOf(begin), text.indexOf(end)]
    if (first < 0 || last < first) throw new Error(`docs/guides/wallets.md has no place for ${name}`)
    return `${text.slice(0, first + begin.length)}\n\n${part}\n\n${text.slice(last)}`
  }, page)
