import type { TransactionReceipt } from 'viem'
import {
  type Address,
  contracts,
  type Fill,
  type Hex,
  type ListedSeries,
  type PricePoint,
  type PublicTrade,
  RelayError,
  RelayUnreachableError,
  type RequestStatus,
  type SeriesMark,
  type ShownBook,
  type ShownQuote,
  type TakerRequest,
  type Usd6,
  usd6,
  type ValuedPosition,
} from '../../../src/client/index.ts'
import { valuePosition } from '../../../src/protocol/domain/position.ts'
import type { HistoryEntry } from '../../../src/web/trade/address.ts'
import type {
  Attention,
  ConnectedWallet,
  PageHistory,
  Storage,
  TradePorts,
  Trader,
  TraderInput,
  Wallets,
} from '../../../src/web/trade/ports.ts'
import { createTradeSession, type TradeSession } from '../../../src/web/trade/session.ts'
import { createFakeClock, type FakeClock, settle } from '../../support/fake-clock.ts'
import { commitmentOf, ENVIRONMENT, HISTORY, MARKETS, NOW, SERIES } from '../trade-samples.ts'

export const ACCOUNT: Address = '0x1111111111111111111111111111111111111111'
/** What the wallet signs to show that it is its owner's. */
export const PROOF: Hex = `0x${'5e'.repeat(65)}`
export const FILL: Hex = `0x${'f1'.repeat(32)}`

/** A request as the fake relay has it. */
type FakeRequest = { request: TakerRequest; status: RequestStatus; book: ShownBook; hear: (() => void) | null }

/** A relay, a chain, wallets and a browser's storage, all of which do what a test tells them. */
export type FakeWorld = {
  clock: FakeClock
  ports: TradePorts
  /** What was called, in order, with its input. */
  calls: { name: string; input: unknown }[]
  /** Replaces what a call of the trader does; `null` restores it. */
  when: <Name extends keyof Trader>(name: Name, answer: Trader[Name] | null) => void
  /** Whether the relay cannot be reached. */
  isDown: boolean
  attention: FakeAttention
  /** All trades of the relay, the newest first, and the prices of each market. */
  trades: PublicTrade[]
  prices: PricePoint[]
  environment: typeof ENVIRONMENT
  /** How far the chain is ahead of the clock, seconds. */
  chainAhead: number
  series: ListedSeries[]
  funds: { stablecoin: bigint; coin: bigint }
  marks: SeriesMark[]
  positions: { series: ListedSeries; long: bigint; short: bigint; mark?: Usd6 }[]
  /** Puts a quote on top of a request's book. */
  quote: (requestId: string, quote: ShownQuote | null, over?: Partial<ShownBook>) => Promise<void>
  end: (requestId: string, status: RequestStatus) => Promise<void>
  /** Opens a page: another one shares the storage, and hears of what the others change. */
  open: (history?: FakeHistory, attention?: FakeAttention) => TradeSession
  stored: Map<string, string>
  injected: { wallet: ConnectedWallet; isRejecting: boolean; change: (next: Parameters<Change>[0]) => void }
  requests: Map<string, FakeRequest>
}

type Change = Parameters<ConnectedWallet['onChange']>[0]

export const receipt = (transactionHash: Hex = FILL): TransactionReceipt =>
  ({ transactionHash, blockNumber: 7n, status: 'success', logs: [] }) as unknown as TransactionReceipt

/** What a fill by the wallet returns. */
export const FILLED: Fill = {
  approval: null,
  usedPermit: false,
  payment: 'allowance',
  fill: receipt(),
  signedBy: { signer: ACCOUNT, until: null },
  partnerFee: usd6(0n),
}

/** A world in which everything works, until a test says otherwise. */
export function createFakeWorld(): FakeWorld {
  const clock = createFakeClock(NOW)
  const pages = new Set<Parameters<Storage['onChange']>[0]>()
  const overrides: Partial<Record<keyof Trader, unknown>> = {}
  const world: FakeWorld = {
    clock,
    ports: null as unknown as TradePorts,
    calls: [],
    when: (name, answer) => {
      if (answer === null) delete overrides[name]
      else overrides[name] = answer
    },
    isDown: false,
    attention: createFakeAttention(),
    trades: [],
    prices: [],
    environment: ENVIRONMENT,
    chainAhead: 0,
    series: [...SERIES],
    funds: { stablecoin: 1_000_000_000n, coin: 10n ** 18n },
    positions: [],
    marks: [],
    quote: async (requestId, bestQuote, over = {}) => {
      const found = world.requests.get(requestId)
      if (found === undefined) throw new Error(`no request ${requestId}`)
      const { book } = found
      found.book = { ...book, bestQuote, quoteCount: book.quoteCount + 1, bookSeq: book.bookSeq + 1, ...over }
      found.hear?.()
      await settle()
    },
    end: async (requestId, status) => {
      const found = world.requests.get(requestId)
      if (found === undefined) throw new Error(`no request ${requestId}`)
      found.status = status
      found.hear?.()
      await settle()
    },
    open: (history = createFakeHistory(), attention = world.attention) => {
      const storage = createFakeStorage(world.stored, pages)
      return createTradeSession({ ...world.ports, storage, history, attention })
    },
    stored: new Map(),
    injected: createInjected(),
    requests: new Map(),
  }
  world.ports = {
    clock,
    frames: clock,
    attention: world.attention,
    history: createFakeHistory(),
    storage: createFakeStorage(world.stored, pages),
    wallets: createFakeWallets(world),
    openTrader: (input) => createFakeTrader(world, input, overrides),
    openRelayer: () => {
      throw new Error('there is no relayer')
    },
  }
  return world
}

export type FakeAttention = Attention & {
  title: string | null
  /** Notifications that the browser was given, and what pressing them does. */
  shown: Parameters<Attention['show']>[0][]
  /** What the owner of the browser answers, or has answered. */
  answer: 'granted' | 'denied' | null
  asked: number
  hide: () => void
  see: () => void
}

/** A tab in sight, of a browser whose owner has not been asked for notifications. */
export function createFakeAttention(): FakeAttention {
  let isHidden = false
  let isAnswered = false
  const listeners = new Set<() => void>()
  const attention: FakeAttention = {
    title: null,
    shown: [],
    answer: 'granted',
    asked: 0,
    hide: () => {
      isHidden = true
    },
    see: () => {
      isHidden = false
      for (const hear of [...listeners]) hear()
    },
    isHidden: () => isHidden,
    onShown: (hear) => {
      listeners.add(hear)
      return () => void listeners.delete(hear)
    },
    setTitle: (text) => {
      attention.title = text
    },
    permission: () => (isAnswered || attention.answer === null ? attention.answer : 'default'),
    ask: async () => {
      attention.asked += 1
      isAnswered = true
      return attention.answer ?? 'denied'
    },
    show: (notice) => {
      attention.shown.push(notice)
      return true
    },
  }
  return attention
}

export type FakeHistory = PageHistory & {
  /** Paths of all entries, the current one last. */
  paths: () => string[]
  back: () => void
  /** A link within the page, such as the one that skips to its content, makes an entry that has no place. */
  follow: () => void
}

/** The history of a tab that was opened at a path. It outlasts the page, as a tab does at a reload. */
export function createFakeHistory(path = '/'): FakeHistory {
  const entries: { path: string; place: HistoryEntry['place'] | null }[] = [{ path, place: null }]
  const listeners = new Set<() => void>()
  const tell = () => {
    for (const hear of [...listeners]) hear()
  }
  const now = () => entries.at(-1) as (typeof entries)[number]
  return {
    paths: () => entries.map((entry) => entry.path),
    back: () => {
      entries.pop()
      tell()
    },
    follow: () => {
      entries.push({ path: now().path, place: null })
      tell()
    },
    now,
    push: (entry) => void entries.push(entry),
    replace: (entry) => void entries.splice(-1, 1, entry),
    onChange: (hear) => {
      listeners.add(hear)
      return () => void listeners.delete(hear)
    },
  }
}

/** A storage that tells the other pages, and not the one that wrote. */
function createFakeStorage(stored: Map<string, string>, pages: Set<Parameters<Storage['onChange']>[0]>): Storage {
  let own: Parameters<Storage['onChange']>[0] | null = null
  const tell = (key: string, text: string | null) => {
    for (const hear of pages) if (hear !== own) hear({ key, text })
  }
  return {
    keys: () => [...stored.keys()],
    read: (key) => stored.get(key) ?? null,
    write: (key, text) => {
      if (stored.get(key) === text) return
      stored.set(key, text)
      tell(key, text)
    },
    remove: (key) => {
      if (stored.delete(key)) tell(key, null)
    },
    onChange: (hear) => {
      own = hear
      pages.add(hear)
      return () => void pages.delete(hear)
    },
  }
}

function createInjected(): FakeWorld['injected'] {
  const listeners = new Set<Change>()
  return {
    isRejecting: false,
    wallet: {
      address: ACCOUNT,
      chainId: ENVIRONMENT.chainId,
      signer: ACCOUNT,
      switchChain: async () => {},
      onChange: (hear) => {
        listeners.add(hear)
        return () => void listeners.delete(hear)
      },
    },
    change: (next) => {
      for (const hear of [...listeners]) hear(next)
    },
  }
}

const createFakeWallets = (world: FakeWorld): Wallets => ({
  discover: (hear) => {
    hear({ id: 'io.example', name: 'Example', icon: null, kind: 'injected' })
    return () => {}
  },
  open: async (id) => {
    if (id === 'sandbox') return { ...world.injected.wallet, chainId: null, onChange: () => () => {} }
    if (world.injected.isRejecting) throw new Error('The owner said no.')
    return world.injected.wallet
  },
})

function createFakeTrader(
  world: FakeWorld,
  { signer, onSent }: TraderInput,
  overrides: Partial<Record<keyof Trader, unknown>>,
): Trader {
  const answers = answersOf(world, onSent)
  const needsSigner: (keyof Trader)[] = ['fillOrder', 'getBalance', 'closePosition', 'settleSeries', 'registerPackage']
  const call =
    (name: keyof Trader) =>
    (input: unknown): unknown => {
      world.calls.push({ name, input })
      if (world.isDown) throw new RelayUnreachableError('http://relay/', { reason: 'ECONNREFUSED' })
      if (needsSigner.includes(name) && signer === undefined) throw new Error(`${name} needs a signer`)
      const answer = (overrides[name] ?? answers[name]) as ((input: unknown) => unknown) | undefined
      if (answer === undefined) throw new Error(`${name} was not expected`)
      return answer(input)
    }
  return new Proxy({} as Trader, {
    get: (_, name: keyof Trader) =>
      name === 'watchBestQuote' ? call(name) : async (input: unknown) => call(name)(input),
  })
}

function answersOf(world: FakeWorld, onSent: TraderInput['onSent']): Partial<Trader> {
  const { requests, clock } = world
  return {
    getTime: async () => clock.now() + 500,
    getEnvironment: async () => ({
      ...world.environment,
      chainTime: Math.floor(clock.now() / 1_000) + world.chainAhead,
    }),
    listMarkets: async () => [...MARKETS],
    listSeries: async () => world.series,
    getSeries: async ({ seriesId }) => seriesIn(world, seriesId),
    getSurface: async ({ conditionId }) => ({ conditionId, at: world.clock.now(), series: world.marks }),
    listTrades: async ({ cursor = '0' } = {}) => {
      const end = Number(cursor) + TRADES_PER_PAGE
      return {
        trades: world.trades.slice(Number(cursor), end),
        nextCursor: end < world.trades.length ? `${end}` : null,
      }
    },
    listPrices: async () => world.prices,
    getBalance: async () => usd6(world.funds.stablecoin),
    getCoinBalance: async () => world.funds.coin,
    listValuedPositions: async () => world.positions.map(valued),
    listPositions: async () => world.positions.map(toPosition),
    listCostedPositions: async () => world.positions.map((each) => ({ ...toPosition(each), cost: usd6(5_000_000n) })),
    getTradeHistory: async () => ({ trades: [...HISTORY], isComplete: true }),
    getInventoryApproval: async () => true,
    openQuoteRequest: async (input) => openRequest(world, input),
    watchBestQuote: ({ request }) => watchRequest(requests.get(request.requestId)),
    getBestQuote: async ({ request }) => {
      const found = requests.get(request.requestId)
      if (found === undefined) throw new RelayError({ code: 'request_not_found', status: 404 })
      return { ...found.book, status: found.status }
    },
    proveCommit: async () => PROOF,
    commitToBestQuote: async ({ request, shown, limitPrice }) => {
      const found = requests.get(request.requestId)
      if (found === undefined || shown === undefined) throw new RelayError({ code: 'request_not_found', status: 404 })
      found.status = 'committed'
      found.hear?.()
      const { bestQuote, bestBid } = found.book
      const commitment = commitmentOf(request, (shown.side === 'sell' ? bestBid : undefined) ?? bestQuote ?? shown)
      return { ...commitment, protections: { limitPrice: limitPrice ?? null, minContracts: null } }
    },
    cancelQuoteRequest: async ({ request }) => world.end(request.requestId, 'cancelled'),
    fillOrder: async () => {
      onSent?.(FILL)
      return FILLED
    },
    requestFaucetFunds: async () => {
      world.funds.stablecoin += 10_000_000_000n
      return { amount: usd6(10_000_000_000n), txHash: FILL, message: 'Sent.' }
    },
  }
}

const TRADES_PER_PAGE = 100

function seriesIn({ series }: FakeWorld, seriesId: string): ListedSeries {
  const found = series.find((each) => each.seriesId === seriesId)
  if (found === undefined) throw new RelayError({ code: 'series_not_found', status: 404 })
  return found
}

const toPosition = ({ series, long, short }: FakeWorld['positions'][number]) => ({
  seriesId: series.seriesId,
  long: contracts(long),
  short: contracts(short),
})

function valued({ series, long, short, mark }: FakeWorld['positions'][number]): ValuedPosition {
  const has = { long: contracts(long), short: contracts(short) }
  const { resolutionBps } = series
  const settled = resolutionBps !== null
  const value = valuePosition(series, { ...has, resolutionBps, settled, spot: usd6(550_000n) })
  return { series, ...has, price: 0.55, mark: mark ?? null, ...value }
}

function openRequest(world: FakeWorld, input: Parameters<Trader['openQuoteRequest']>[0]): TakerRequest {
  const { market, option, trade, wallet = null, inventory, firmOnly, audience, blind } = input
  const requestId = `request-${world.requests.size + 1}`
  const expiry = Math.floor(option.expiryMs / 1_000)
  const { seriesId } = world.series.find(
    (each) =>
      each.expiry === expiry &&
      each.conditionId === market.conditionId &&
      JSON.stringify(shapeOf(each)) === JSON.stringify(shapeOf(option)),
  ) ?? { seriesId: '1' }
  const request: TakerRequest = {
    requestId,
    expiresAt: world.clock.now() + 500 + 300_000,
    makersConnected: 3,
    takerSecret: `secret-${requestId}`,
    seriesId,
    seriesListed: true,
    terms: {
      wallet: blind === true ? null : wallet,
      market: { ...market, question: market.question ?? null },
      option,
      trade,
      ...(inventory === true ? { inventory } : {}),
      ...(firmOnly === true ? { firmOnly } : {}),
      ...(audience === undefined ? {} : { audience }),
      ...(blind === true && wallet !== null ? { blindWallet: wallet } : {}),
    },
  }
  const book: ShownBook = {
    bestQuote: null,
    quoteCount: 0,
    status: 'open',
    bookSeq: 0,
    confirming: null,
    bestForSize: null,
    orderStanding: null,
  }
  world.requests.set(requestId, { request, status: 'open', book, hear: null })
  return request
}

const shapeOf = (option: object) =>
  'legs' in option
    ? option.legs
    : [(option as { strikeBps: number }).strikeBps, (option as { optionType: string }).optionType]

async function* watchRequest(found: FakeRequest | undefined): AsyncGenerator<ShownBook, void> {
  if (found === undefined) throw new RelayError({ code: 'request_not_found', status: 404 })
  while (found.status === 'open') {
    yield found.book
    await new Promise<void>((resolve) => {
      found.hear = resolve
    })
  }
}
