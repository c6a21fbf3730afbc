import type { AuditEntry } from '../../src/protocol/domain/audit.ts'
import type { Order } from '../../src/protocol/domain/order.ts'
import { seriesTermsOf } from '../../src/protocol/domain/request.ts'
import { seriesIdOf } from '../../src/protocol/domain/series.ts'
import { encodePostTrade } from '../../src/protocol/wire/maker-messages.ts'
import { quoteRequestExpiredFrame, quoteRequestFrame } from '../../src/protocol/wire/maker-stream.ts'
import { encodeSseFrame } from '../../src/protocol/wire/sse.ts'
import type { MakerEvent, MakerMessage } from '../../src/relay/core/ports/live.ts'
import type { Log } from '../../src/relay/core/ports/runtime.ts'
import { NO_MEMORY } from '../../src/relay/core/ports/runtime.ts'
import type { Store } from '../../src/relay/core/ports/store.ts'
import { NO_TRACER } from '../../src/relay/core/ports/tracer.ts'
import type { Observation } from '../invariants/observation.ts'
import { createFakeSeriesIndex } from '../support/fake-chain.ts'
import { ABSENT_PORTS, DEMOTION, TAKER } from '../support/test-relay.ts'
import type { Heard, Told } from '../support/told-apart.ts'
import { createMaker } from './actors/maker.ts'
import { createTaker } from './actors/taker.ts'
import { createDatabase, type DatabaseFaults } from './database/database.ts'
import { type Finding, judge } from './judge.ts'
import { createHub } from './market/hub.ts'
import { createMarketServer, type MarketFaults, type MarketServer } from './market/server.ts'
import type { Action, Plan } from './plan/plan.ts'
import { createNodeClock } from './time/database-clock.ts'
import { createProcess } from './time/process.ts'
import { createRandom, type Random } from './time/random.ts'
import { createTimeline } from './time/timeline.ts'
import { createVenueChain } from './venue/chain.ts'
import { createClients } from './venue/clients.ts'
import { MAKERS, type MakerName, recoverSigner, walletOf } from './venue/identities.ts'
import { createNode, type Node } from './venue/node.ts'
import { createRecorder, type Line } from './venue/recorder.ts'
import { EXPIRED, EXPIRED_MS, SETTINGS, START_MS } from './venue/terms.ts'
import { createTrace } from './venue/trace.ts'
import type { Venue } from './venue/venue.ts'
import { watchWalletPromises } from './venue/wallet-promises.ts'

/** What a run shows. */
export type Run = {
  /** A digest of everything that happened. */
  digest: string
  findings: readonly Finding[]
  lines: readonly Line[]
  /** How often what happened. */
  counts: Readonly<Record<string, number>>
}

/** Faults that are planted on purpose. */
export type Planted = { database?: DatabaseFaults; market?: MarketFaults }

const MINUTE_MS = 60_000

/** The one price before expiry, of which the source may think otherwise later. */
function priceWithin(from: number, to: number, cents: number) {
  const t = EXPIRED_MS / 1_000 - 60
  return t >= from && t <= to ? [{ t, p: cents / 100 }] : []
}
/** After the last action everything works, and so long later all is over. */
const TAIL_MS = 150_000
const OBSERVED_MS = 250

/** Runs a whole venue in virtual time: the same plan always gives the same run. */
export async function simulate(
  plan: Plan,
  { planted = {}, isTold = false }: { planted?: Planted; isTold?: boolean } = {},
): Promise<Run> {
  const { stackTraceLimit } = Error
  // Refusals are common, and no one reads where they come from.
  Error.stackTraceLimit = isTold ? stackTraceLimit : 0
  try {
    return await createVenue(plan, { planted, isTold }).run()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** What makers hear of a plan until its one commit has its order. */
export async function listenTo(plan: Plan): Promise<Told> {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return await createVenue(plan, { planted: {}, isTold: false }).listen()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function createVenue(plan: Plan, { planted, isTold }: { planted: Planted; isTold: boolean }) {
  const { seed } = plan
  const random = createRandom(`venue ${seed}`)
  const timeline = createTimeline(START_MS)
  const trace = createTrace()
  const note = (what: string): void => trace.note(what, timeline.now())
  const counts: Record<string, number> = {}
  const count = (what: string): void => {
    counts[what] = (counts[what] ?? 0) + 1
  }

  /** An observer's own clock: the time that all nodes share. */
  const observer = createNodeClock({ timeline, process: createProcess(timeline, 'observer'), drift: 0 })
  let leader: MarketServer
  const recorder = createRecorder({ now: observer.now, isTold, leader: () => leader.name })
  const ordinals = new Map<string, number>()
  const watch = (store: Store): Store => {
    const watched = recorder.watchStore(store)
    return {
      ...watched,
      requests: {
        ...watched.requests,
        insert: async (request) => {
          const isInserted = await watched.requests.insert(request)
          if (!isInserted) return false
          const { requestId, trade, wallet, market, expiresAt } = request
          ordinals.set(requestId, Number((market.question ?? '').slice(QUESTION.length)))
          const bounds =
            trade.side === 'buy'
              ? ({ side: 'buy', budget: trade.budget, size: trade.most ?? null } as const)
              : ({ side: trade.side, budget: null, size: trade.size } as const)
          recorder.observe({ kind: 'request_opened', requestId, ...bounds, namesWallet: wallet !== null, expiresAt })
          count('requests')
          return true
        },
      },
    }
  }
  const database = createDatabase({
    trueTime: timeline.now,
    random: random.fork('database'),
    watch,
    ...(planted.database === undefined ? {} : { faults: planted.database }),
  })
  const compare = (): void => {
    // It says nothing: that the clock was set back is for the nodes to find.
    const read = database.observeClock(null)
    const at = observer.steady()
    observer.compared([{ read, askedAt: at, answeredAt: at }])
    timeline.at(timeline.now() + OBSERVED_MS, compare)
  }
  compare()
  const hub = createHub()
  const newServer = (name: string): MarketServer =>
    createMarketServer({
      name,
      trueTime: timeline.now,
      demotion: DEMOTION,
      publish: (channel, message) => hub.publish(name, channel, message),
      watch: recorder.watchMarket,
      ...(planted.market === undefined ? {} : { faults: planted.market }),
    })
  let servers = 1
  leader = newServer('market 1')

  const { chain, orderEvents, usedBy, isUsed, reorganise, setFunds } = createVenueChain({
    timeline,
    random: random.fork('chain'),
  })
  const promises = watchWalletPromises({ recorder, chain, isUsed, now: timeline.now })
  const source = { cents: 50 }
  /** What nodes say that could show a secret. */
  const said: string[] = []
  const log = createLog(recorder.find, said)
  const nodes: Node[] = Array.from({ length: plan.nodes }, (_, i) =>
    createNode({
      name: `node ${i + 1}`,
      timeline,
      random: random.fork(`node ${i + 1}`),
      database,
      hub,
      market: () => leader,
      observer: observer.now,
      settings: SETTINGS,
      shared: {
        authority: null,
        transparency: ABSENT_PORTS.transparency,
        faucet: null,
        identity: null,
        tracer: NO_TRACER,
        memory: NO_MEMORY,
        chain,
        seriesIndex: createFakeSeriesIndex(chain),
        orderEvents,
        signatures: { recover: async (digest, signature) => recoverSigner(digest, signature) },
        resolutionSigner: {
          address: TAKER,
          sign: async () => `0x${'5'.repeat(130)}`,
          probe: async () => `0x${'5'.repeat(130)}`,
        },
        prices: { history: async (_, from, to) => priceWithin(from, to, source.cents) },
        markets: { question: async () => null, outcome: async () => null },
      },
      log,
      audit: () => ({ record: (entry) => hear(entry) }),
      trace: note,
      onServing: () => recorder.tell(`node ${i + 1} serves`),
    }),
  )

  function hear(entry: AuditEntry): void {
    keepIfSecret(said, textOf(entry))
    if (entry.kind === 'ranked')
      for (const { makerId, quoteId } of entry.quotes) if (quoteId === entry.chosen) tap.chose(makerId)
    if (entry.kind !== 'passed_over') return
    const { requestId, quoteId, code } = entry
    recorder.observe({
      kind: 'passed_over',
      requestId,
      quoteId,
      ...(code === 'maker_unreachable' ? { isLongGone: true } : {}),
    })
  }

  const clients = createClients({
    timeline,
    random: random.fork('clients'),
    onFault: (fault) =>
      recorder.find('nothing but refusals is thrown', null, String(fault instanceof Error ? fault.stack : fault)),
  })
  const tap = {
    hear: (_maker: string, _way: string, _what: unknown): void => {},
    chose: (_makerId: string): void => {},
  }
  const draws = random.fork('orders')
  const venue: Venue = {
    timeline,
    clients,
    recorder,
    chain,
    areHeard: () => nodes.every((node) => node.life()?.links.market.isSound() !== false),
    anyNode: (from: Random) => {
      const serving = nodes.filter((node) => node.life()?.relay != null)
      return from.pick(serving.length === 0 ? nodes : serving)
    },
    heard: (...heard) => tap.hear(...heard),
    ordinalOf: (requestId) => ordinals.get(requestId) ?? -1,
    acknowledged: new Set(),
    questionOf: (id) => `${QUESTION}${id}`,
    sharedTime: observer.now,
    signed: (order) => {
      if (draws.chance(0.06))
        clients.later(draws.between(500, 20_000), () => isOpen(order) && chain.use(order, 'cancelled'))
    },
    fill: (order) => {
      if (!isOpen(order)) return
      chain.use(order, 'filled')
      count('fills')
    },
  }
  function isOpen(order: Order): boolean {
    return !isUsed(order) && Math.floor(timeline.now() / 1_000) <= order.validUntil
  }

  const makers = new Map(MAKERS.map((name) => [name, createMaker(venue, name, seed)]))
  const taker = createTaker(venue, seed)
  const act = createActions()

  function createActions(): (action: Action) => void {
    const later = (ms: number, run: () => void): void => void timeline.at(timeline.now() + ms, run)
    const nodeOf = (index: number): Node => nodes[index % nodes.length] as Node
    let firstRestorable = 0
    const places: { at: number; place: number }[] = []
    const keepPlaces = (): void => {
      places.push({ at: timeline.now(), place: database.place() })
      later(500, keepPlaces)
    }
    keepPlaces()

    return (action) => {
      switch (action.do) {
        case 'open':
          return taker.open(action)
        case 'protect':
          return makers.get(action.maker)?.protect(action)
        case 'reset':
          return makers.get(action.maker)?.reset()
        case 'drop':
          return makers.get(action.maker)?.leave(action.forMs)
        case 'drop all':
          for (const maker of makers.values()) maker.leave(action.forMs)
          return
        case 'block':
          return block(action.maker, action.forMs)
        case 'reinstate':
          return void clients.call(venue.anyNode(draws), (relay) =>
            relay.blocks.decide(decisionOf(action.maker, false)),
          )
        case 'settle':
          return settle(nodeOf(action.node), action.cents)
        case 'empty wallet':
          recorder.observe({ kind: 'wallet_emptied', wallet: 'shared' })
          setFunds(true)
          promises.emptied()
          return later(action.forMs, () => {
            setFunds(false)
            promises.emptied()
          })
        case 'reorganise':
          return reorganise(action.depth)
        case 'chain down':
          chain.down = true
          return later(action.forMs, () => {
            chain.down = false
          })
        case 'kill': {
          const node = nodeOf(action.node)
          node.kill()
          return later(action.forMs, node.start)
        }
        case 'kill at':
          return nodeOf(action.node).killAt(action.call, action.forMs)
        case 'freeze':
          return nodeOf(action.node)
            .life()
            ?.process.freeze(timeline.now() + action.forMs)
        case 'cut': {
          const link = nodeOf(action.node).life()?.links[action.link]
          link?.set(action.isHalfOpen ? 'half-open' : 'cut')
          return later(action.forMs, () => link?.set('up'))
        }
        case 'slow':
          return nodeOf(action.node)
            .life()
            ?.links[action.link].slow(action.byMs, timeline.now() + action.forMs)
        case 'lose': {
          const link = nodeOf(action.node).life()?.links[action.link]
          link?.lose(action.share)
          return later(action.forMs, () => link?.lose(0))
        }
        case 'empty market':
          servers += 1
          recorder.marketLost(0)
          leader = newServer(`market ${servers}`)
          return
        case 'fail over':
          return failOver(action)
        case 'restore': {
          const to = timeline.now() - action.backMs
          const found = places.findLast(({ at }) => at <= Math.max(to, firstRestorable))
          if (found === undefined) return
          firstRestorable = timeline.now()
          observeChain()
          database.restore(found.place)
          recorder.restored()
          recorder.marketLost(0)
          promises.forget()
          for (const maker of makers.values()) maker.protectAgain()
          return
        }
        case 'set clock':
          return database.setClock(action.byMs)
      }
    }

    /** A replica takes the place of the leader, without its last writes; later the address may lead to the former one again. */
    function failOver({ lostMs, backAfterMs, ledBackMs }: Extract<Action, { do: 'fail over' }>): void {
      servers += 1
      const former = leader
      const from = timeline.now() - lostMs
      // Observers tell the time that nodes share, which a clock that was set back makes another one.
      const lost = (): void => recorder.marketLost(observer.now() - (timeline.now() - from))
      const next = newServer(`market ${servers}`)
      void next.redo(former.history(from)).then(() => {
        lost()
        leader = next
      })
      if (backAfterMs === null) return
      later(backAfterMs, () => {
        if (leader !== next) return
        recorder.tell('the address of the market leads to its former primary again')
        lost()
        leader = former
        later(ledBackMs, () => {
          if (leader !== former) return
          recorder.tell('the address of the market leads to the newer primary')
          lost()
          leader = next
        })
      })
    }

    function block(makerId: string, forMs: number): void {
      void clients.call(venue.anyNode(draws), (relay) => relay.blocks.decide(decisionOf(makerId, true)))
      const unblock = (): void =>
        void clients
          .call(venue.anyNode(draws), (relay) => relay.blocks.decide(decisionOf(makerId, false)))
          .then((answer) => answer.status === 200 || later(500, unblock))
      later(forMs, unblock)
    }

    function settle(node: Node, cents: number): void {
      source.cents = cents
      const terms = draws.pick(EXPIRED)
      void clients
        .call(node, (relay) => relay.prepareSettlement(seriesIdOf(seriesTermsOf(terms))))
        .then((answer) => {
          if (!('value' in answer)) return
          const { seriesId, resolutionBps } = answer.value.attestation
          recorder.observe({ kind: 'series_resolved', seriesId, resolutionBps })
        })
    }
  }

  /** How the orders ended on the chain, which is what their makers are sent. */
  function observeChain(): void {
    for (const { requestId, quoteId, makerId, order } of recorder.traded()) {
      const use = usedBy(order)
      if (use === undefined) continue
      const { fill, transactionHash } = use
      const state = fill === null ? 'cancelled' : 'filled'
      const moment = { ...recorder.moment(), at: timeline.now() }
      const names = { requestId, makerId, quoteId, socket: 'the chain' }
      recorder.observe({ kind: 'order_ended', ...names, state, transactionHash, moment })
    }
  }

  /** What makers can read when all is over, and what nodes have said. */
  async function readAll(): Promise<void> {
    observeChain()
    // A request that its taker was never answered may end without anyone having been shown it.
    for (const requestId of ordinals.keys())
      if (!venue.acknowledged.has(requestId)) recorder.observe({ kind: 'news_lost', requestId })
    for (const makerId of MAKERS) {
      const outcomes = await database.run((store) =>
        store.history.list({ makerId, after: null, since: null, status: null, limit: 100_000 }),
      )
      const kept = (outcomes ?? []).filter(({ requestId }) => !recorder.isForgotten(requestId))
      const endings = kept.map(({ requestId, quoteId, ...outcome }) => {
        const { status } = outcome
        const end = outcome.status === 'confirmed' ? outcome.end : null
        return { requestId, quoteId, status, ...(end === null ? {} : { orderStatus: end }) }
      })
      recorder.observe({ kind: 'history_read', makerId, endings })
      const record = await database.run((store) => store.makerRecords.find(makerId))
      const counted = record.outcomes.filter(({ requestId }) => !recorder.isForgotten(requestId))
      recorder.observe({
        kind: 'record_read',
        makerId,
        outcomes: counted.map(({ kind, ...names }) => ({ ...names, outcome: kind })),
      })
    }
    for (const { requestId } of await database.run((store) => store.requests.listOpen()))
      recorder.find('every request ends', requestId, `${requestId} is open when all is over`)
    for (const { makerId, requestId } of recorder.pending.values())
      recorder.find('every acceptance ends', requestId, `${makerId} is asked for ${requestId} when all is over`)
    recorder.observe({ kind: 'sink', name: 'the log and the audit log', text: said.join('\n') } satisfies Observation)
  }

  /** When clocks were looked at, and by node how far each was from the shared time; `isStill`: it did nothing with it. */
  let clocksSeen = { at: START_MS, of: nodes.map(() => ({ apartMs: 0, isStill: true })) }
  function lookAtClocks(): void {
    const at = observer.now()
    const of = nodes.map((node) => {
      const life = node.life()
      return { apartMs: Math.abs((life?.clock?.shows() ?? at) - at), isStill: life?.process.isFrozen() ?? true }
    })
    const apart = of.map((now, i) => {
      const before = clocksSeen.of[i] ?? now
      // It comes apart, or together again, in between: it was furthest away at one end, or nearly so.
      return before.isStill && now.isStill ? 0 : Math.max(before.apartMs, now.apartMs)
    })
    recorder.clocksSeen(clocksSeen.at, Math.max(...apart))
    clocksSeen = { at, of }
    timeline.at(timeline.now() + OBSERVED_MS, lookAtClocks)
  }

  async function start(): Promise<void> {
    for (const node of nodes) node.start()
    await timeline.runUntil(START_MS + 500)
    for (const maker of makers.values()) maker.start()
    for (const action of plan.actions)
      timeline.at(START_MS + action.at, () => {
        count(action.do)
        if (action.do !== 'open') recorder.tell(describe(action))
        act(action)
      })
  }

  /** What makers hear until the one commit of the plan has its order, or its time is over; a step is a millisecond. */
  async function listen(): Promise<Told> {
    const heard: Heard[] = []
    const askedIn = new Map<string, number>()
    const hasOrder = (): boolean => recorder.traded().length > 0
    const step = (): number => timeline.now() - START_MS
    tap.hear = (who, way, what) => {
      if (!hasOrder()) heard.push({ step: step(), who, way: way.split(' ')[0] ?? way, text: heardText(way, what) })
    }
    tap.chose = (makerId) => {
      // Makers of one wallet are one.
      for (const name of MAKERS)
        if (walletOf(name) === walletOf(makerId as MakerName) && !askedIn.has(name)) askedIn.set(name, step())
    }
    await start()
    const endsAt = START_MS + plan.minutes * MINUTE_MS
    while (timeline.now() < endsAt && !hasOrder()) await timeline.runUntil(timeline.now() + LISTEN_MS)
    return { heard, askedIn, orderedIn: hasOrder() ? step() - LISTEN_MS : null }
  }

  async function run(): Promise<Run> {
    lookAtClocks()
    await start()
    const lastMs = plan.actions.at(-1)?.at ?? 0
    await timeline.runUntil(START_MS + Math.max(lastMs, plan.minutes * MINUTE_MS))
    chain.down = false
    for (const node of nodes) {
      node.spare()
      node.start()
      for (const link of Object.values(node.life()?.links ?? {})) {
        link.set('up')
        link.lose(0)
      }
    }
    await timeline.runUntil(timeline.now() + TAIL_MS)
    await readAll()
    const traded = recorder.segments.flat().filter((one) => one.kind === 'commit' && one.status === 200)
    counts.trades = traded.length
    counts['trades of both sides'] = traded.filter((one) => one.kind === 'commit' && one.side !== undefined).length
    counts.steps = timeline.steps()
    return { digest: trace.digest(), findings: judge(recorder), lines: recorder.lines, counts }
  }

  return { run, listen }
}

/** How often it is looked whether a commit has its order, milliseconds. */
const LISTEN_MS = 5

/** As makers read it on the wire, without times. */
function heardText(way: string, what: unknown): string {
  if (way === 'socket') return textOf(encodePostTrade(what as MakerMessage, true))
  if (way !== 'stream') return textOf(what)
  const event = what as MakerEvent
  return event.kind === 'quote_request'
    ? encodeSseFrame(quoteRequestFrame(event.id, event.request))
    : encodeSseFrame(quoteRequestExpiredFrame(event.id, event.requestId))
}

const QUESTION = 'Request '

const decisionOf = (makerId: string, isBlocked: boolean) => ({ makerId, isBlocked, by: 'operator', reason: '' })

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))

/** As long as a signature is. */
const SECRET = /[0-9a-f]{120}|secret-/

function keepIfSecret(said: string[], text: string): void {
  if (SECRET.test(text)) said.push(text)
}

/** Errors that are no outage are findings. */
function createLog(find: ReturnType<typeof createRecorder>['find'], said: string[]): Log {
  const write = (event: string, fields: object = {}): void => {
    const { fault, ...facts } = fields as { fault?: unknown }
    keepIfSecret(said, textOf({ event, ...facts, fault: String(fault) }))
    if (fault instanceof Error && fault.name !== 'RfqError')
      find('nothing but refusals is thrown', null, `${event}: ${fault.stack}`)
  }
  return { info: write, warn: write, error: write }
}

/** An action in words. */
function describe(action: Action): string {
  const { at: _, do: what, ...about } = action
  const facts = Object.entries(about).map(
    ([name, value]) => `${name} ${typeof value === 'object' ? 'none' : String(value)}`,
  )
  return `FAULT: ${what}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`
}
