import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Observation } from '../../invariants/observation.ts'
import type { Maker } from '../../kit/maker.ts'
import { type Service, walletOf } from '../../kit/service.ts'
import type { MakerSocket, SocketMessage } from '../../kit/socket.ts'
import type { SseEvent, SseStream } from '../../kit/sse.ts'
import type { Node } from '../node.ts'
import { COVERAGE, createCollector } from './collector.ts'

/** How long makers have to sign, in milliseconds. */
const SIGN_MS = 10_000

const WALLETS = { ada: walletOf(1), bob: walletOf(2) }
const TAKER = walletOf(3).address

const ORDER = {
  maker: WALLETS.ada.address,
  seriesId: '7',
  optionAmount: '1000',
  premiumAmount: '100000000',
  makerSelling: true,
  taker: TAKER,
  validUntil: Math.floor(Date.now() / 1_000) + 131,
  nonce: 1,
}

const FILLED: SocketMessage = { type: 'order:filled', requestId: 'r', quoteId: 'of ada', transactionHash: '0x7' }
const CONFIRMED = { requestId: 'r', quoteId: 'of ada', status: 'confirmed' }

/** A maker's record of its only quote. */
const recordOf = (makerId: string, outcome: string): Observation => ({
  kind: 'record_read',
  makerId,
  outcomes: [{ requestId: 'r', quoteId: `of ${makerId}`, outcome }],
})

/** What an honest node answers and sends; a test changes one of it. */
const honest = () => ({
  makersConnected: 0,
  best: 'of ada',
  executions: ['e', 'e'],
  resolutions: [40, 40],
  order: ORDER as object,
  ended: [{ type: 'quote:confirmed', requestId: 'r', quoteId: 'of ada' }] as SocketMessage[],
  feed: [
    { event: 'quote_request', id: '1', data: { requestId: 'r' } },
    { event: 'quote_request_expired', id: '2', data: { requestId: 'r' } },
  ] as SseEvent[],
  taker: [{ event: 'closed', id: null, data: { status: 'committed' } }] as SseEvent[],
  reread: 'e',
  /** A poll and a cancel after the trade. */
  later: 'committed',
  cancel: { status: 409, body: { code: 'request_closed' } as object },
  read: [recordOf('ada', 'confirmed')] as Observation[],
})

/** A node that says what it is told to, from its wire on. */
function nodeThat(said: ReturnType<typeof honest>): Node {
  const executions = [...said.executions]
  const resolutions = [...said.resolutions]
  const stream = (events: SseEvent[]) =>
    ({ status: 200, events: { all: () => events }, ended: new Promise(() => {}) }) as unknown as SseStream
  const service = {
    open: async () => ({ requestId: 'r', makersConnected: said.makersConnected }),
    commit: async () => {
      const execution = executions.shift()
      const body = { execution: { execution_id: execution ?? said.reread }, quote: { quote_id: 'of ada' } }
      return { status: 200, text: execution ?? said.reread, body }
    },
    call: async (_: string, path: string) => {
      if (path === '/settlement/prepare')
        return { status: 200, body: { seriesId: '7', resolutionBps: resolutions.shift() } }
      if (path.endsWith('/cancel')) return said.cancel
      const isOver = executions.length < said.executions.length
      const top = { bestQuote: { quote_id: said.best }, quoteCount: 2 }
      return { status: 200, body: isOver ? { status: said.later } : { status: 'open', ...top } }
    },
    stream: async () => stream(said.taker),
  } as unknown as Service
  const maker = (name: string) => {
    const deadline = new Date(Date.now() + SIGN_MS).toISOString()
    const asked = {
      type: 'quote:accepted',
      requestId: 'r',
      quoteId: 'of ada',
      confirmationDeadline: deadline,
      domain: {},
    }
    const messages = name === 'ada' ? [{ ...asked, order: said.order }, ...said.ended] : []
    return {
      makerId: name,
      wallet: WALLETS[name as keyof typeof WALLETS],
      quote: async () => ({ status: 200, text: '', body: { quoteId: `of ${name}` } }),
      confirm: async () => ({ status: 200 }),
      connect: async () =>
        ({ messages: { all: () => messages }, closed: new Promise(() => {}) }) as unknown as MakerSocket,
      stream: async () => stream(said.feed),
    } as unknown as Maker
  }
  return { service, maker } as unknown as Node
}

/** A trade with such a node, and what is found. */
async function violationsOf(changes: Partial<ReturnType<typeof honest>>): Promise<string[]> {
  const said = { ...honest(), ...changes }
  const secrets = [{ name: 'a key', value: 'canary' }]
  const collector = createCollector({ confirmationMs: SIGN_MS, skipsIds: false, secrets })
  const node = collector.watch(nodeThat(said))
  const [ada, bob] = [node.maker('ada'), node.maker('bob')]
  const { requestId } = await node.service.open()
  await bob.quoted(requestId, { price: 0.2, size: 1_000 })
  await ada.quoted(requestId, { price: 0.1, size: 1_000 })
  await node.service.call('GET', `/quote-requests/${requestId}/quotes`)
  await ada.connect()
  await bob.connect()
  await ada.stream()
  await node.service.stream(`/quote-requests/${requestId}/stream`)
  for (const _ of said.executions) await node.service.commit(requestId, { wallet: TAKER })
  await node.service.call('GET', `/quote-requests/${requestId}/quotes`)
  await node.service.call('POST', `/quote-requests/${requestId}/cancel`)
  await ada.confirm('of ada', '0x11')
  for (const _ of said.resolutions) await node.service.call('POST', '/settlement/prepare')
  await collector.reread(node)
  return collector.violations(said.read).map(({ invariant, sentence }) => `${invariant}: ${sentence}`)
}

describe('the collector of a cluster', () => {
  it('finds nothing wrong with a node that is honest, and what is hidden from it is declared', async () => {
    expect(await violationsOf({})).toEqual([])
    expect(Object.keys(COVERAGE.unseen)).toEqual(['V16'])
  })

  it.each<[string, Partial<ReturnType<typeof honest>>]>([
    ['V1: r was answered with two orders, e and f', { executions: ['e', 'f'], reread: 'f' }],
    ['V2: r is 1001 options for 100000000, which nobody quoted', { order: { ...ORDER, optionAmount: '1001' } }],
    ['V3: ada heard twice on one socket how r ended', { ended: [...honest().ended, ...honest().ended] }],
    ['V4: stream 0 of the taker of r closed twice', { taker: [...honest().taker, ...honest().taker] }],
    ['V5: 7 was resolved at 40 and at 41', { resolutions: [40, 41] }],
    ['V6: stream 0 of ada got the id 1 after 2', { feed: honest().feed.toReversed() }],
    ['V7: r showed bob at 200000 while ada gave 100000', { best: 'of bob' }],
    ['V8: the log shows a key', { read: [{ kind: 'sink', name: 'the log', text: 'canary' }] }],
    ['V9: 3 makers were told of r, and 0 to 0 were connected', { makersConnected: 3 }],
    ['V10: the commit of r was answered by e, and later by f', { reread: 'f' }],
    [
      'V10: ada confirmed of ada by a 200, and its history does not have it',
      { read: [{ kind: 'history_read', makerId: 'ada', endings: [] }] },
    ],
    ['V12: the record of ada counts missed of of ada, which it did not do', { read: [recordOf('ada', 'missed')] }],
    [
      'V12: ada was asked while it was suspended',
      { read: [{ kind: 'maker_suspended', makerId: 'ada', until: Infinity, moment: { at: 0, order: 0 } }] },
    ],
    [expect.stringMatching(/^V17: r .* it is committed, .*: poll .*\(open\)$/), { later: 'open' }],
    [
      expect.stringMatching(/^V17: r .* it is committed, .*: cancel .*\(taken\)$/),
      { cancel: { status: 200, body: {} } },
    ],
    ['V14: ada heard twice how its order of r ended', { ended: [...honest().ended, FILLED, FILLED], read: [] }],
    [
      'V14: the order of r ended filled by 0x7 and cancelled by 0x8',
      {
        ended: [...honest().ended, FILLED],
        read: [
          {
            kind: 'history_read',
            makerId: 'ada',
            endings: [{ ...CONFIRMED, orderStatus: { state: 'cancelled', transactionHash: '0x8' } }],
          },
        ],
      },
    ],
  ])('finds what a node says wrong on its wire: %s', async (sentence, changes) => {
    expect(await violationsOf(changes)).toContainEqual(sentence)
  })
})

/** A maker with protections, whose connections and orders the test plays; times in milliseconds of a clock that it sets. */
async function createProtected(protections: object) {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 })
  const sockets: { messages: SocketMessage[]; close: () => void }[] = []
  const maker = {
    makerId: 'ada',
    wallet: WALLETS.ada,
    call: async () => ({ status: 200, body: {} }),
    connect: async () => {
      const messages: SocketMessage[] = []
      const closed = new Promise<void>((close) => sockets.push({ messages, close }))
      return { messages: { all: () => messages }, closed } as unknown as MakerSocket
    },
  } as unknown as Maker
  const process = { signal: () => {} }
  const collector = createCollector({ confirmationMs: SIGN_MS, skipsIds: false, secrets: [] })
  const node = collector.watch({ process, maker: () => maker, service: {} } as unknown as Node)
  const ada = node.maker('ada')
  await ada.connect()
  await ada.call('PUT', '/v1/mm/protections', protections)
  return {
    ada,
    node,
    /** What its newest socket is asked; the relay decided so at that time. */
    ask: (requestId: string, at: number) => {
      const confirmationDeadline = new Date(at + SIGN_MS).toISOString()
      const message = { type: 'quote:accepted', requestId, quoteId: `of ${requestId}`, confirmationDeadline }
      sockets.at(-1)?.messages.push({ ...message, order: { ...ORDER, nonce: at } })
    },
    leave: async (at: number) => {
      vi.setSystemTime(at)
      sockets.at(-1)?.close()
      await Promise.resolve()
      await Promise.resolve()
    },
    comeBack: async (at: number) => {
      vi.setSystemTime(at)
      await ada.connect()
    },
    found: () => collector.violations().flatMap(({ invariant, sentence }) => (invariant === 'V11' ? [sentence] : [])),
  }
}

describe('the collector of a cluster with makers that have protections', () => {
  afterEach(() => void vi.useRealTimers())

  const WINDOW = { windows: [{ ms: 60_000, maxAccepted: 1 }] }
  const TOO_OFTEN = 'ada was asked 2 times within 60000 ms'
  const GONE = 'ada was asked although it was gone for longer than its grace'

  it('finds a node that ignores a window, also where a part of it was asked later', async () => {
    const { ask, found } = await createProtected(WINDOW)
    ask('r', 20_000)
    ask('s', 90_000)
    expect(found()).toEqual([])
    ask('t', 40_000)
    expect(found()).toContain(TOO_OFTEN)
  })

  it('counts from the last reset on', async () => {
    const { ada, ask, found } = await createProtected(WINDOW)
    ask('r', 20_000)
    vi.setSystemTime(30_000)
    await ada.call('POST', '/v1/mm/protections/reset')
    ask('s', 40_000)
    expect(found()).toEqual([])
    ask('t', 50_000)
    expect(found()).toEqual([TOO_OFTEN])
  })

  it('finds a node that ignores that a maker has left, when it is back', async () => {
    const { ask, leave, comeBack, found } = await createProtected({ cancelOnDisconnect: { graceMs: 500 } })
    await leave(10_000)
    await comeBack(30_000)
    ask('r', 10_900)
    ask('s', 31_000)
    expect(found()).toEqual([])
    ask('t', 20_000)
    expect(found()).toEqual([GONE])
  })

  it('waits until a node that was killed is forgotten', async () => {
    const { node, ask, leave, comeBack, found } = await createProtected({ cancelOnDisconnect: { graceMs: 500 } })
    node.process.signal('SIGKILL')
    await leave(10_000)
    await comeBack(90_000)
    ask('r', 20_000)
    expect(found()).toEqual([])
    ask('s', 60_000)
    expect(found()).toEqual([GONE])
  })

  it('takes a maker that wants both channels for gone when it lacks one', async () => {
    const rule = { cancelOnDisconnect: { graceMs: 500, channels: 'any' } }
    const { ask, found } = await createProtected(rule)
    ask('r', 20_000)
    expect(found()).toEqual([GONE])
  })
})
