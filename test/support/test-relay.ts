import { privateKeyToAccount } from 'viem/accounts'
import type { AuditEntry } from '../../src/protocol/domain/audit.ts'
import type { CommitTerms } from '../../src/protocol/domain/commit.ts'
import { commitDigest, commitTypedData, type ProvenCommit } from '../../src/protocol/domain/commit-proof.ts'
import { type Order, orderDomain, orderTypedData } from '../../src/protocol/domain/order.ts'
import type { QuoteSubmission } from '../../src/protocol/domain/quote.ts'
import type { DemotionRule } from '../../src/protocol/domain/reliability.ts'
import {
  type OneSided,
  type RequestTerms,
  type Side,
  seriesTermsOf,
  sidesOf,
} from '../../src/protocol/domain/request.ts'
import type { FinalOutcome } from '../../src/protocol/domain/resolution.ts'
import { type Series, seriesIdOf } from '../../src/protocol/domain/series.ts'
import type { PricePoint } from '../../src/protocol/domain/twap.ts'
import { type Address, contracts, type Hex, type StrikeBps, usd6 } from '../../src/protocol/domain/units.ts'
import { createAuditRecorder } from '../../src/relay/adapters/audit.ts'
import { createLocalLive } from '../../src/relay/adapters/live/memory/live.ts'
import { createResolutionSigner } from '../../src/relay/adapters/signing.ts'
import { createMemoryStore } from '../../src/relay/adapters/store/memory.ts'
import { openKeys } from '../../src/relay/adapters/transparency/keys.ts'
import { createMemoryStorage } from '../../src/relay/adapters/transparency/memory-storage.ts'
import { createOpenings } from '../../src/relay/adapters/transparency/reconcile.ts'
import { createTransparencyLog } from '../../src/relay/adapters/transparency/transparency-log.ts'
import type { FirmQuote } from '../../src/relay/core/create-acceptance.ts'
import { createOperations, type Operations } from '../../src/relay/core/operations.ts'
import type { MakerMessage } from '../../src/relay/core/ports/live.ts'
import type { MaybePromise } from '../../src/relay/core/ports/maybe-promise.ts'
import type { OperationsSettings } from '../../src/relay/core/ports/operations.ts'
import type { Ports, RelaySettings } from '../../src/relay/core/ports/ports.ts'
import { NO_MEMORY } from '../../src/relay/core/ports/runtime.ts'
import type { Acceptance } from '../../src/relay/core/ports/store.ts'
import { NO_TRACER } from '../../src/relay/core/ports/tracer.ts'
import type { TransparencyLog } from '../../src/relay/core/ports/transparency.ts'
import { createRelay, type Relay } from '../../src/relay/core/relay.ts'
import { createFakeChain, createFakeOrderEvents, createFakeSeriesIndex, type FakeChain } from './fake-chain.ts'
import { createFakeClock, type FakeClock, settle } from './fake-clock.ts'
import { createFakeIds } from './fake-ids.ts'
import { createFakeLog, type FakeLog } from './fake-log.ts'
import { createFakeMeter, type FakeMeter } from './fake-meter.ts'
import { createMortalClock } from './mortal-clock.ts'
import { recover } from './recover.ts'

/** The real relay on memory adapters, a fake chain and a fake clock. */
export type TestRelay = {
  relay: Relay
  operations: Operations
  meter: FakeMeter
  ports: Ports
  clock: FakeClock
  chain: FakeChain
  log: FakeLog
  /** The audit log, oldest first. */
  auditLog: AuditEntry[]
  /** Puts what was recorded until now into the transparency log. */
  publish: () => Promise<void>
  /** The log that the relay has with `hasTransparencyLog`. */
  transparency: TransparencyLog
  /** What the price and market sources answer; null: they are down. */
  sources: { points: PricePoint[] | null; outcome: FinalOutcome | null }
  register: (terms?: RequestTerms, halted?: boolean) => Series
  connect: (name: string) => Promise<TestMaker>
  open: (terms?: Partial<RequestTerms> & { locked?: boolean }) => Promise<{ requestId: string; takerSecret: string }>
  quote: (name: string, requestId: string, quote?: Partial<QuoteSubmission>) => Promise<string>
  /** Quotes and signs the order at once; resolves with the quote and its signature. */
  quoteFirm: (
    name: string,
    requestId: string,
    quote?: Partial<QuoteSubmission>,
  ) => Promise<FirmQuote & { signature: Hex; otherSignature?: Hex }>
  /** Commits with a proof of the wallet, where it is one of the takers here; without one where `isProven` is false. */
  commit: (
    requestId: string,
    terms?: Partial<CommitTerms>,
    by?: { isProven?: boolean; clientAddress?: string },
  ) => ReturnType<Relay['commit']>
  /** The order that a taker gets of a maker, ada, on a request of its own. */
  trade: () => Promise<Acceptance>
  /** The same store and clock under a new relay, as after a kill: everything live is lost, and time passes meanwhile. */
  restart: (downMs?: number) => Promise<TestRelay>
}

/** A maker with a wallet, its socket's messages, and a hand to sign with. */
export type TestMaker = {
  wallet: Address
  messages: MakerMessage[]
  accepted: () => Acceptance[]
  sign: (acceptance?: Acceptance) => Promise<Hex>
  /** Signs the newest order and confirms it; resolves when the news of it is out, too. */
  confirm: () => Promise<void>
  disconnect: () => void
}

export const TAKER: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
export const OTHER_TAKER: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

/** The keys of takers, by which they prove their commits: those of Anvil's second and third account. */
const TAKER_ACCOUNTS = new Map(
  [
    '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
    '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  ].map((key) => {
    const account = privateKeyToAccount(key as Hex)
    return [account.address, account] as const
  }),
)
export const START_MS = Date.UTC(2026, 0, 1)
export const EXPIRY_S = START_MS / 1_000 + 3_600

/** The proof of a commit, in the name of one of the takers here; null for any other wallet. */
export async function proofOf(
  { environment: { chainId, settlementAddress } }: Pick<FakeChain, 'environment'>,
  commit: ProvenCommit,
): Promise<Hex | null> {
  const account = TAKER_ACCOUNTS.get(commit.wallet)
  const typedData = commitTypedData(commit, orderDomain(chainId, settlementAddress))
  const digest = commitDigest(commit, typedData.domain)
  const known = proofs.get(digest)
  if (known !== undefined || account === undefined) return known ?? null
  const proof = await account.signTypedData(typedData)
  proofs.set(digest, proof)
  return proof
}

/** Proofs by what they sign: the ids of tests count up, so that most are made again and again. */
const proofs = new Map<Hex, Hex>()

/** A taker that buys calls of strike 0.45 for 100 dollars. */
export const CALL_BUY: OneSided<RequestTerms> = {
  wallet: null,
  market: { conditionId: `0x${'11'.repeat(32)}`, yesTokenId: '123456789', question: 'Will it rain?' },
  option: { optionType: 'call', strikeBps: 4_500 as StrikeBps, expiryMs: EXPIRY_S * 1_000 },
  trade: { side: 'buy', budget: usd6(100_000_000n) },
}

/** A taker that writes 100 puts of the same strike. */
export const PUT_SELL: OneSided<RequestTerms> = {
  ...CALL_BUY,
  option: { ...CALL_BUY.option, optionType: 'put' },
  trade: { side: 'sell', size: contracts(100n) },
}

/** The defaults of the specification and the decisions. */
export const RELAY_SETTINGS: RelaySettings = {
  staticKeys: [],
  openMode: false,
  quoteRequestTtlMs: 300_000,
  openLimits: { total: 10_000, perAddress: 1_000 },
  makerConfirmationMs: 10_000,
  orderValidityMs: 120_000,
  maxCandidates: 5,
  maxUnfilledOrders: 1_000,
  maxUnprovenOrders: 100,
  makerOfflineGraceMs: 1_000,
  makerRecordMs: 30 * 86_400_000,
  breaker: {
    windowMs: 86_400_000,
    suspensionMs: 0,
    maxSuspensionMs: 86_400_000,
    minOutcomes: 10,
    below: 50,
    cleanPerStrike: 10,
    incidentMs: 10_000,
  },
  makerAbsentMs: 30_000,
  unprovenConfirmationMs: 2_500,
  unprovenCandidates: 2,
  headStaleMs: 0,
  faucetAmount: usd6(1_000_000_000n),
  faucetCooldownMs: 86_400_000,
  settleLagMs: 0,
  faucetMaxPerHour: 500,
  maxApiKeysPerUser: 20,
  twapMinPoints: 1,
  twapMaxGapS: null,
  recordIntervalMs: 60_000,
  seriesRefreshMs: 300_000,
  orderWatchMs: 1_000,
  commitProof: 'optional',
  feedback: 'off',
  takerRatingMs: null,
  tapeDelayMs: 60_000,
  feedbackDelayMs: 0,
}

/** Ports of which a relay that is alone has nothing. */
export const ABSENT_PORTS = {
  transparency: null,
  authority: null,
  faucet: null,
  identity: null,
  takeover: null,
  tracer: NO_TRACER,
  memory: NO_MEMORY,
}

/** Secrets of a log whose signatures are the same in each run. */
/** For a log without a store. */
export const NO_OPENING = async () => null

export const LOG_KEYS = { origin: 'rfqctl.log/test', saltSecret: '5a'.repeat(32), seeds: ['5b'.repeat(32)] }

/** When makers that do not confirm rank behind, by default. */
export const DEMOTION: DemotionRule = { misses: 2, windowMs: 3_600_000 }

export const makerAccount = (name: string) =>
  privateKeyToAccount(`0x${Buffer.from(name).toString('hex').padStart(64, '1').slice(-64)}`)

const signer = createResolutionSigner(`0x${'7a'.repeat(32)}`)

export const SIGNER = signer.address

export const walletOf = (name: string): Address => makerAccount(name).address

/** A fixture with one registered series of each default request. */
export function createTestRelay(
  options: {
    settings?: Partial<RelaySettings>
    operations?: Partial<OperationsSettings>
    ports?: Partial<Ports>
    mode?: 'onchain' | 'simulated'
    hasTransparencyLog?: boolean
  } = {},
): TestRelay {
  const clock = createFakeClock(START_MS)
  const log = createFakeLog()
  const chain = createFakeChain({ clock, mode: options.mode ?? 'onchain' })
  const store = createMemoryStore({ clock })
  const auditLog: AuditEntry[] = []
  // It numbers entries when a test asks for it: a timer of its own would never leave the fake clock idle.
  const transparency = createTransparencyLog({
    openingOf: createOpenings(store),
    storage: createMemoryStorage(),
    keys: openKeys(LOG_KEYS),
    clock: { ...clock, schedule: () => () => {} },
    log,
  })
  const { hasTransparencyLog = false } = options
  const durable = {
    record: (entry: AuditEntry) => {
      store.audit.record(entry)
      if (hasTransparencyLog) transparency.add(entry)
    },
  }
  const recorder = createAuditRecorder({ epoch: 1, auditLog: durable, log, bytesPerRequest: 1_048_576 })
  const meter = createFakeMeter()
  const sources: TestRelay['sources'] = { points: [], outcome: null }
  const settings = { ...RELAY_SETTINGS, ...options.settings }
  const fixed = {
    ...ABSENT_PORTS,
    clock,
    ids: createFakeIds(),
    store,
    transparency: hasTransparencyLog ? transparency : null,
    chain,
    seriesIndex: createFakeSeriesIndex(chain),
    orderEvents: createFakeOrderEvents(chain),
    signatures: { recover },
    resolutionSigner: signer,
    prices: { history: async () => sources.points ?? Promise.reject(new Error('the price source is down')) },
    markets: { question: async () => 'Will it rain?', outcome: async () => sources.outcome },
    audit: {
      record: (entry: AuditEntry) => {
        auditLog.push(entry)
        recorder.record(entry)
      },
    },
    log,
  }
  const exposition = async (gauges: object) => ({
    contentType: 'text/plain',
    text: JSON.stringify(gauges, (_, part) => (typeof part === 'bigint' ? String(part) : part)),
  })
  const build = (epoch: number): TestRelay => {
    const { clock: ownClock, die } = createMortalClock(clock)
    const live = createLocalLive({ clock, log, epoch, demotion: DEMOTION, recordQuoter: store.quoters.record })
    const ports = { ...fixed, ...live, clock: ownClock, ...options.ports }
    const relay = createRelay(ports, settings)
    const operations = createOperations(
      { ...ports, auditFeed: recorder.feed, ownAuditFeed: recorder.feed, meter, exposition },
      relay,
      { headStaleMs: 0, ...options.operations },
    )
    const fixture: TestRelay = {
      relay,
      operations,
      meter,
      ports,
      clock,
      chain,
      log,
      auditLog,
      transparency,
      publish: async () => {
        recorder.flush()
        await transparency.advance()
      },
      sources,
      register: (terms = CALL_BUY, halted = false) => registerSeries(chain, terms, halted),
      connect: (name) => connect(relay, name),
      open: async (terms = {}) => {
        const { requestId, takerSecret } = await relay.openRequest({ ...CALL_BUY, locked: false, ...terms })
        return { requestId, takerSecret }
      },
      quote: async (name, requestId, quote = {}) => {
        const { request } = await relay.readRequest({ requestId, takerSecret: null })
        const submission = {
          maker: walletOf(name),
          side: sidesOf(request.trade)[0] as Side,
          price: usd6(120_000n),
          size: contracts(1_000n),
          expiresInMs: null,
          ...quote,
        }
        return (await relay.submitQuote({ makerId: name, requestId, submission })).quoteId
      },
      quoteFirm: async (name, requestId, quote = {}) => {
        const submission = {
          maker: walletOf(name),
          side: 'buy' as const,
          price: usd6(120_000n),
          size: contracts(1_000n),
          expiresInMs: null,
          firm: true,
          ...quote,
        }
        const quoted = await relay.submitQuote({ makerId: name, requestId, submission })
        if (!('order' in quoted)) throw new Error('the request names no wallet')
        const { quoteId, order, otherOrder, domain } = quoted
        const sign = (own: Order) => makerAccount(name).signTypedData(orderTypedData(own, domain))
        const signature = await sign(order)
        const otherSignature = otherOrder && (await sign(otherOrder))
        const both = otherSignature === undefined ? {} : { otherSignature }
        await relay.makeQuoteFirm({ makerId: name, quoteId, signature, ...both })
        return { ...quoted, signature, ...both }
      },
      commit: async (requestId, changes = {}, { isProven = true, clientAddress = '127.0.0.1' } = {}) => {
        const terms = { wallet: TAKER, limitPrice: null, minContracts: null, expectedQuoteId: null, ...changes }
        const proof = isProven ? await proofOf(chain, { ...terms, requestId }) : null
        return relay.commit({ requestId, takerSecret: null, terms, proof, clientAddress })
      },
      trade: async () => {
        const ada = await fixture.connect('ada')
        const { requestId } = await fixture.open()
        await fixture.quote('ada', requestId)
        const commit = fixture.commit(requestId)
        await settle()
        await ada.confirm()
        return (await commit).execution.acceptance
      },
      restart: async (downMs = 0) => {
        relay.stop()
        die()
        await clock.advance(downMs)
        const next = build(epoch + 1)
        await next.relay.start()
        return next
      },
    }
    return fixture
  }
  chain.signer = signer.address
  const fixture = build(1)
  fixture.register(CALL_BUY)
  fixture.register(PUT_SELL)
  return fixture
}

/** Registers the series that a request asks about. */
export function registerSeries(chain: FakeChain, request: RequestTerms, halted = false): Series {
  const terms = seriesTermsOf(request)
  const series = { ...terms, seriesId: seriesIdOf(terms), halted, resolutionBps: null }
  chain.registered.set(series.seriesId, series)
  return series
}

let connections = 0

async function connect(relay: Relay, name: string): Promise<TestMaker> {
  const account = makerAccount(name)
  const messages: MakerMessage[] = []
  connections += 1
  const stop = await relay.openMakerChannel({
    makerId: name,
    connectionId: `connection-${connections}`,
    onMessage: (message) => messages.push(message),
  })
  const accepted = () => messages.flatMap((message) => (message.kind === 'accepted' ? [message.acceptance] : []))
  const newest = (): Acceptance => {
    const acceptance = accepted().at(-1)
    if (acceptance === undefined) throw new Error(`${name} was not asked`)
    return acceptance
  }
  const sign = (acceptance = newest()) => account.signTypedData(orderTypedData(acceptance.order, acceptance.domain))
  return {
    wallet: account.address,
    messages,
    accepted,
    sign,
    confirm: async () => {
      await relay.confirm({ makerId: name, quoteId: newest().quoteId, signature: await sign() })
      await settle()
    },
    disconnect: stop,
  }
}

/** The code with which a promise is refused; fails when it is not. */
export async function refusal(answer: MaybePromise<unknown>): Promise<string> {
  try {
    await answer
    return 'not refused'
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}
