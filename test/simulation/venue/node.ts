import { RfqError } from '../../../src/protocol/domain/errors.ts'
import type { Ports, RelaySettings } from '../../../src/relay/core/ports/ports.ts'
import type { Log } from '../../../src/relay/core/ports/runtime.ts'
import { createRelay, type Relay } from '../../../src/relay/core/relay.ts'
import type { Database } from '../database/database.ts'
import { openSession } from '../database/session.ts'
import { openMarketConnection } from '../market/connection.ts'
import type { Hub } from '../market/hub.ts'
import type { MarketServer } from '../market/server.ts'
import { createLink, type Link } from '../network/link.ts'
import { createNodeClock, type NodeClock, type Sample } from '../time/database-clock.ts'
import { createProcess, type Process } from '../time/process.ts'
import type { Random } from '../time/random.ts'
import type { Timeline } from '../time/timeline.ts'
import { createNodeIds } from './node-ids.ts'

/** The links of a node to the servers. */
export type Links = { database: Link; market: Link; chain: Link }

/** One life of a relay: from its start to its death. */
export type Life = {
  process: Process
  links: Links
  /** Null until it has the time. */
  clock: NodeClock | null
  /** Null until it serves. */
  relay: Relay | null
  onDeath: Set<() => void>
}

/** A node of the venue, which is killed and started again. */
export type Node = {
  name: string
  life: () => Life | null
  start: () => void
  kill: () => void
  /** Kills the process when the next call of this name has taken effect, and before its answer comes; it starts again so long later. */
  killAt: (call: string, forMs: number) => void
  /** It is killed at no call any longer. */
  spare: () => void
}

export type NodeOptions = {
  name: string
  timeline: Timeline
  random: Random
  database: Database
  hub: Hub
  market: () => MarketServer
  /** The clock of those who look on. */
  observer: () => number
  settings: RelaySettings
  /** What all nodes share, apart from the database and the market. */
  shared: Omit<
    Ports,
    'clock' | 'ids' | 'log' | 'store' | 'takeover' | 'book' | 'feed' | 'presence' | 'bus' | 'leases' | 'audit'
  >
  log: Log
  audit: (node: string) => Ports['audit']
  trace: (what: string) => void
  onServing: (life: Life) => void
}

/** As of the adapters: how often the clock is read when it is compared, since the quickest answer counts. */
const SAMPLES = 3

/** As of the adapters, milliseconds: when an answer is given up, when the clock is compared, when a start is tried again. */
const DATABASE_ANSWER_MS = 6_000
const MARKET_ANSWER_MS = 1_000
const CHAIN_ANSWER_MS = 2_000
const COMPARE_MS = 2_000
const RETRY_START_MS = 1_000

/** How much the clock of a machine gains or loses at most, as a share. */
const DRIFT = 0.0005

export function createNode(options: NodeOptions): Node {
  const { name, timeline, random } = options
  let life: Life | null = null
  let lives = 0
  let killing: { call: string; forMs: number } | null = null

  function start(): void {
    lives += 1
    const process = createProcess(timeline, name)
    const own = random.fork(`life ${lives}`)
    const trace = (what: string): void => {
      options.trace(what)
      if (killing === null || !what.startsWith(`${name} `) || !what.includes(killing.call)) return
      const { forMs } = killing
      killing = null
      kill()
      timeline.at(timeline.now() + forMs, () => life ?? start())
    }
    const linkTo = (server: string, answerMs: number, inOrder: boolean): Link =>
      createLink({ timeline, process, random: own.fork(server), name: `${name} ${server}`, answerMs, inOrder, trace })
    const links = {
      database: linkTo('database', DATABASE_ANSWER_MS, false),
      market: linkTo('market', MARKET_ANSWER_MS, true),
      chain: linkTo('chain', CHAIN_ANSWER_MS, false),
    }
    const begun: Life = { process, links, clock: null, relay: null, onDeath: new Set() }
    life = begun
    void serve(options, begun, own).catch((fault: unknown) => {
      if (!(fault instanceof RfqError)) throw fault
      if (life !== begun) return
      kill()
      timeline.at(timeline.now() + RETRY_START_MS, () => life === null && start())
    })
  }

  function kill(): void {
    const former = life
    if (former === null) return
    former.process.kill()
    life = null
    for (const listener of [...former.onDeath]) listener()
  }

  return {
    name,
    life: () => life,
    start: () => life ?? start(),
    kill,
    killAt: (call, forMs) => {
      killing = { call, forMs }
    },
    spare: () => {
      killing = null
    },
  }
}

/** Opens everything as the product does, and starts the relay. */
async function serve(options: NodeOptions, life: Life, random: Random): Promise<void> {
  const { name, timeline, database, hub, market, observer, settings, shared, log, onServing } = options
  const { process, links } = life
  const clock = createNodeClock({ timeline, process, drift: random.between(-DRIFT, DRIFT) })
  const sample = async (): Promise<Sample> => {
    const askedAt = clock.steady()
    const expected = clock.expected()
    const read = await links.database.call('clock', () => database.observeClock(expected))
    return { read, askedAt, answeredAt: clock.steady() }
  }
  const compare = async (): Promise<void> => {
    const samples: Sample[] = []
    while (samples.length < SAMPLES) samples.push(await sample())
    clock.compared(samples)
  }
  await compare()
  life.clock = clock
  const compareLater = (): void => {
    process.at(
      timeline.now() + COMPARE_MS,
      () =>
        void compare()
          .catch(() => {})
          .then(compareLater),
    )
  }
  compareLater()
  const ids = createNodeIds(random.fork('ids'))
  const session = await openSession({ database, link: links.database, clock, log })
  const connection = await openMarketConnection({
    node: ids.uuid(),
    clock,
    log,
    link: links.market,
    hub,
    server: market,
    freshId: ids.uuid,
    raiseEpoch: session.raiseEpoch,
    lowestEpoch: session.lowestEpoch,
    begunEpoch: await session.begunEpoch(),
    noteBegunEpoch: session.noteBegunEpoch,
    observer,
  })
  session.onWentBack(connection.renew)
  const chain = overLink(shared.chain, links.chain)
  const orderEvents = shared.orderEvents === null ? null : overLink(shared.orderEvents, links.chain)
  const ports: Ports = {
    ...shared,
    chain,
    orderEvents,
    clock,
    ids,
    log,
    store: session.store,
    ...connection.live,
    takeover: { ...session.takeover, quotedBy: connection.quotedBy },
    audit: options.audit(name),
  }
  const relay = createRelay(ports, settings)
  await relay.start()
  life.relay = relay
  onServing(life)
}

/** The reads of a port that are asked elsewhere. */
const REMOTE = [
  'time',
  'head',
  'series',
  'funds',
  'fundsAt',
  'inventory',
  'inventoryAt',
  'positions',
  'isNonceUsed',
].concat(['resolutionSigner', 'takesSignature', 'quorumOf', 'authorizedUntil', 'signedUntil', 'read'])

function overLink<Port extends object>(port: Port, link: Link): Port {
  return new Proxy(port, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key)
      if (typeof member !== 'function' || !REMOTE.includes(String(key))) return member
      return (...args: unknown[]) =>
        link
          .call(String(key), () => (member as (...all: unknown[]) => unknown)(...args))
          .catch((fault: unknown) => {
            const isOutage = fault instanceof RfqError && fault.code === 'store_unavailable'
            throw isOutage ? new RfqError('chain_unavailable') : fault
          })
    },
  })
}
