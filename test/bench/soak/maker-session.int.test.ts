import { afterEach, expect, test } from 'vitest'
import { createCollector } from '../../../bench/soak/collector.ts'
import type { AfterFirm } from '../../../bench/soak/firm-quotes.ts'
import { createMakerSession } from '../../../bench/soak/maker-session.ts'
import { blankMemory } from '../../../bench/soak/makers.ts'
import type { Observation } from '../../invariants/observation.ts'
import { createFakeConnectionPool, UPGRADED, webSocketFrame } from './fake-connection-pool.ts'

const REQUEST = '00000000-0000-4000-8000-000000000001'
const ending: AbortController[] = []

afterEach(() => {
  for (const over of ending.splice(0)) over.abort()
})

/** A maker with a socket only, on connections that the test plays. */
function createPlay(after: number | null, habits: { afterFirm?: () => AfterFirm } = {}) {
  const over = new AbortController()
  ending.push(over)
  const { connections, opened } = createFakeConnectionPool()
  const collector = createCollector(() => 1_000)
  const observed: Observation[] = []
  const session = createMakerSession(
    { makerId: 'ada', apiKey: 'key-of-ada', privateKey: `0x${'11'.repeat(32)}` },
    {
      ...{ pools: [connections], collector: { ...collector, observe: (one) => void observed.push(one) } },
      ...{ signal: over.signal, memory: blankMemory(), isTurn: () => true, name: 'ada', after, isOnSocket: true },
      ...{ isLasting: true, confirmationMs: null, mayBeLate: false, declinesOneIn: null, ...habits },
    },
  )
  const begun = session.open()
  const [, socket] = opened as unknown as [unknown, (typeof opened)[number]]
  const says = (message: object) => socket.says(webSocketFrame(1, JSON.stringify(message)))
  socket.says(UPGRADED)
  says({ type: 'connected' })
  const written = () => socket.written.slice(1).map((frame) => JSON.parse(frame.slice(frame.indexOf('{'))))
  return { begun, opened, says, written, observed, failed: () => collector.report().broken }
}

const event = (name: string, id?: number, data: object = {}) => ({
  type: 'requests',
  ...(id === undefined ? {} : { id }),
  event: name,
  data,
})

test('a maker with a socket only receives requests there, and quotes there', async () => {
  const { begun, opened, says, written, observed } = createPlay(null)
  says(event('connected'))
  says(event('snapshot_complete', 6))
  await begun
  expect(opened).toHaveLength(2)
  expect(written().at(-1)).toEqual({ type: 'subscribe', to: 'requests' })
  says(event('quote_request', 7, { requestId: REQUEST, params: { trade: { side: 'sell' } } }))
  await expect.poll(() => written().at(-1)?.type).toBe('quote')
  const { ref, requestId, quote } = written().at(-1)
  expect({ requestId, quote }).toMatchObject({ requestId: REQUEST, quote: { side: 'sell', size: 1_000 } })
  says({ type: 'quote:ok', ref, quoteId: 'q1', price: quote.price })
  await expect.poll(() => observed.at(-1)).toMatchObject({ kind: 'quote', quoteId: 'q1' })
  expect(observed).toContainEqual(expect.objectContaining({ kind: 'maker_event', id: 7, requestId: REQUEST }))
})

test('a refusal on the socket is a failure where one over HTTP is', async () => {
  const { begun, says, written, failed } = createPlay(6)
  says(event('connected'))
  await begun
  expect(written().at(-1)).toEqual({ type: 'subscribe', to: 'requests', lastEventId: '6' })
  for (const [n, status] of [404, 500].entries()) {
    says(event('quote_request', 7 + n, { requestId: `${n}${REQUEST.slice(1)}` }))
    await expect.poll(() => written().filter(({ type }) => type === 'quote')).toHaveLength(n + 1)
    says({ type: 'quote:error', ref: written().at(-1).ref, status, error: 'no', code: 'c' })
  }
  await expect.poll(failed).toBe(1)
})

const ORDER = {
  ...{ maker: `0x${'22'.repeat(20)}`, seriesId: '1', optionAmount: '20', premiumAmount: '1000000', makerSelling: true },
  ...{ taker: `0x${'33'.repeat(20)}`, validUntil: 1_000, nonce: 1 },
}
const DOMAIN = {
  ...{ name: 'ServiceRFQSettlement', version: '1', chainId: 1, verifyingContract: `0x${'44'.repeat(20)}` },
}

test.each<AfterFirm>(['keep', 'requote', 'withdraw'])(
  'a maker signs the order that comes with its quote, and may change its mind: %s (invariant V13)',
  async (habit) => {
    const { begun, says, written, observed, failed } = createPlay(6, { afterFirm: () => habit })
    says(event('connected'))
    await begun
    says(event('quote_request', 7, { requestId: REQUEST, params: { trade: { side: 'buy' } } }))
    await expect.poll(() => written().at(-1)).toMatchObject({ type: 'quote', quote: { firm: true } })
    says({ type: 'quote:ok', ref: written().at(-1).ref, quoteId: 'q1', price: 0.05, order: ORDER, domain: DOMAIN })
    await expect.poll(() => written().at(-1)).toMatchObject({ type: 'quote:firm', quoteId: 'q1' })
    const { ref, signature } = written().at(-1)
    says({ type: 'quote:ok', ref, quoteId: 'q1' })
    const firm = { kind: 'quote_sealed', quoteId: 'q1', order: ORDER, signature: signature.slice(2), status: 200 }
    await expect.poll(() => observed).toContainEqual(expect.objectContaining(firm))
    if (habit === 'withdraw') {
      await expect.poll(() => written().at(-1)).toMatchObject({ type: 'quote:withdraw', quoteId: 'q1' })
      says({ type: 'quote:ok', ref: written().at(-1).ref, quoteId: 'q1' })
      const withdrawn = { kind: 'quote_withdrawn', quoteId: 'q1', answered: expect.anything() }
      await expect.poll(() => observed).toContainEqual(expect.objectContaining(withdrawn))
    }
    const count = habit === 'keep' ? 1 : 2
    await expect.poll(() => written().filter(({ type }) => type === 'quote')).toHaveLength(count)
    expect(failed()).toBe(0)
  },
)
