import { Wallet } from 'ethers'
import { describe, expect, it } from 'vitest'
import type { Maker } from '../../conformance/harness/maker.ts'
import type { Service } from '../../conformance/harness/service.ts'
import type { MakerSocket, SocketMessage } from '../../conformance/harness/socket.ts'
import type { SseEvent, SseStream } from '../../conformance/harness/sse.ts'
import type { Observation } from '../../invariants/observation.ts'
import type { Node } from '../node.ts'
import { COVERAGE, createCollector } from './collector.ts'

/** How long makers have to sign, in milliseconds. */
const SIGN_MS = 10_000

const WALLETS = { ada: new Wallet(`0x${'1'.repeat(64)}`), bob: new Wallet(`0x${'2'.repeat(64)}`) }
const TAKER = new Wallet(`0x${'3'.repeat(64)}`).address

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
  read: [] as Observation[],
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
    call: async (_: string, path: string) =>
      path === '/settlement/prepare'
        ? { status: 200, body: { seriesId: '7', resolutionBps: resolutions.shift() } }
        : { status: 200, body: { status: 'open', bestQuote: { quote_id: said.best }, quoteCount: 2 } },
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
      connect: async () => ({ messages: { all: () => messages } }) as unknown as MakerSocket,
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
  await ada.confirm('of ada', '0x11')
  for (const _ of said.resolutions) await node.service.call('POST', '/settlement/prepare')
  await collector.reread(node)
  return collector.violations(said.read).map(({ invariant, sentence }) => `${invariant}: ${sentence}`)
}

describe('the collector of a cluster', () => {
  it('finds nothing wrong with a node that is honest, and nothing is hidden from it', async () => {
    expect(await violationsOf({})).toEqual([])
    expect(Object.keys(COVERAGE.unseen)).toEqual(['V11'])
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
  ])('finds what a node says wrong on its wire: %s', async (sentence, changes) => {
    expect(await violationsOf(changes)).toContain(sentence)
  })
})
