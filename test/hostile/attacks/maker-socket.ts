import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Maker } from '../../kit/maker.ts'
import type { MakerSocket, SocketMessage } from '../../kit/socket.ts'
import type { Attack } from '../lab/attack.ts'
import { percentile } from '../lab/flood.ts'
import { openMany } from '../lab/steps.ts'
import type { Target } from '../lab/target.ts'

/** How long somebody who asks whether the relay is alive may wait meanwhile, 99 times of 100, in milliseconds. */
const MOST_WAIT_MS = 1_000

/** What a relay may grow by for one maker that does not read, in MiB. */
const MOST_GROWN_MIB = 100

const quoteOf = (maker: Maker, requestId: string, price = 0.12) => ({
  requestId,
  quote: { maker: maker.wallet.address, side: 'buy', price, size: 1_000 },
})

const isAnswer = ({ type }: SocketMessage): boolean => type === 'quote:ok' || type === 'quote:error'

const answersOf = ({ messages }: MakerSocket) => messages.all().filter(isAnswer)

/** Waits until the relay has obeyed all that was said before. */
async function obeyed(socket: MakerSocket): Promise<void> {
  socket.send({ type: 'ping' })
  await socket.until('pong')
}

async function answered(socket: MakerSocket, count: number): Promise<readonly SocketMessage[]> {
  while (answersOf(socket).length < count) await socket.messages.until(isAnswer)
  return answersOf(socket)
}

/** Fails unless the relay's event loop turns while something is done. */
async function assertTurns<Result>({ service }: Target, work: () => Promise<Result>): Promise<Result> {
  const times: number[] = []
  let isOver = false
  const asking = (async () => {
    while (!isOver) {
      const begun = performance.now()
      assert.equal((await service.call('GET', '/healthz')).status, 200)
      times.push(performance.now() - begun)
      await wait(5)
    }
  })()
  try {
    return await work()
  } finally {
    isOver = true
    await asking
    const slow = percentile(times, 0.99)
    assert(slow < MOST_WAIT_MS, `whoever asks waits for ${Math.round(slow)} ms`)
  }
}

/** What no batch of quotes is; each is one refusal. */
const BAD_BATCHES: readonly unknown[] = [
  [],
  null,
  {},
  'quotes',
  0,
  Array(65).fill({}),
  { length: 3 },
  Array(2_000).fill(0),
]

/** What no quote of a batch is. */
const BAD_QUOTES: readonly unknown[] = [
  null,
  0,
  'x',
  [],
  [[[[[[]]]]]],
  {},
  { ref: 1 },
  { ref: 'r'.repeat(65) },
  { ref: 'r', requestId: {}, quote: [] },
  { ref: 'r', requestId: 'x'.repeat(500), quote: {} },
  { ref: 'r', requestId: 'r', quote: { maker: 'me', side: 'hold', price: Number.MAX_VALUE, size: -1 } },
  { ref: 'r', requestId: 'r', quote: { price: '1e999' } },
]

const BAD_IDS: readonly unknown[] = [
  -1,
  1.5,
  Number.MAX_VALUE,
  '9'.repeat(400),
  'NaN',
  '0x10',
  '1 2',
  "1' OR 1",
  '',
  null,
  true,
  [],
  {},
  [[1]],
  { $gt: 0 },
]

/** Attacks by a maker on its socket: what it calls there, and the requests that it asks for. */
export const makerSocketAttacks: readonly Attack[] = [
  {
    holds: 'quotes without end on sockets are each answered, refused beyond what may be under way, and hold up nobody',
    run: async (target) => {
      const [opened] = await openMany(target, 1)
      const maker = await target.maker()
      const sockets = await Promise.all(Array.from({ length: 8 }, maker.connect))
      const each = 3_000
      await assertTurns(target, async () => {
        for (let n = 0; n < each; n += 1)
          for (const socket of sockets)
            socket.send({ type: 'quote', ref: `${n}`, ...quoteOf(maker, `${opened?.requestId}`, 0.1 + n / 1e5) })
        for (const socket of sockets) {
          const codes = new Set((await answered(socket, each)).map(({ type, code }) => (code ?? type) as string))
          for (const code of codes) assert(['quote:ok', 'too_many_requests'].includes(code), code)
        }
      })
      for (const socket of sockets) socket.close()
    },
  },
  {
    holds: 'full batches without end on sockets hold up nobody',
    run: async (target) => {
      const opened = await openMany(target, 32)
      const maker = await target.maker()
      const sockets = await Promise.all(Array.from({ length: 8 }, maker.connect))
      const quotes = Array.from({ length: 64 }, (_, n) => ({
        ref: `${n}`,
        ...quoteOf(maker, `${opened[n % 32]?.requestId}`),
      }))
      const batch = JSON.stringify({ type: 'quotes', ref: 'b', quotes })
      await assertTurns(target, async () => {
        for (let n = 0; n < 100; n += 1) for (const socket of sockets) socket.send(batch)
        for (const socket of sockets) await obeyed(socket)
        for (const { messages } of sockets)
          while (messages.all().filter(({ type }) => type === 'quotes:results' || type === 'quote:error').length < 100)
            await messages.next()
      })
      for (const socket of sockets) socket.close()
    },
  },
  {
    holds: 'one ref for a hundred calls is answered a hundred times, and the last quote stands',
    isQuick: true,
    run: async (target) => {
      const [opened] = await openMany(target, 1)
      const requestId = `${opened?.requestId}`
      const maker = await target.maker()
      const socket = await maker.connect()
      for (let n = 1; n <= 100; n += 1)
        socket.send({ type: 'quote', ref: 'same', ...quoteOf(maker, requestId, n / 1_000) })
      const refs = (await answered(socket, 100)).map(({ type, ref }) => `${type} ${ref}`)
      assert.deepEqual(new Set(refs), new Set(['quote:ok same']))
      const { body } = await target.service.call<{ bestQuote: { price: number } }>(
        'GET',
        `/quote-requests/${requestId}/quotes`,
      )
      assert.equal(body.bestQuote.price, 0.1)
      socket.close()
    },
  },
  {
    holds: 'batches of garbage are refused one by one, and the socket stays',
    isQuick: true,
    run: async (target) => {
      const maker = await target.maker({ funded: false })
      const socket = await maker.connect()
      for (const quotes of BAD_BATCHES) socket.send({ type: 'quotes', ref: 'bad', quotes })
      const refusals = await answered(socket, BAD_BATCHES.length)
      for (const { type, ref, code } of refusals)
        assert.deepEqual({ type, ref, code }, { type: 'quote:error', ref: 'bad', code: 'invalid_request' })
      socket.send({ type: 'quotes', ref: 'batch', quotes: BAD_QUOTES })
      const { results } = (await socket.until('quotes:results')) as { results?: SocketMessage[] }
      assert.deepEqual(
        results?.map(({ code }) => code),
        Array(BAD_QUOTES.length).fill('invalid_request'),
      )
      socket.send({ type: 'quotes', ref: {}, quotes: [{ ref: 'r' }] })
      for (const type of ['quote:withdraw', 'quote:confirm', 'quote:decline'])
        for (const quoteId of [undefined, null, {}, 'q'.repeat(5_000), '__proto__'])
          socket.send({ type, ref: 'x', quoteId })
      await obeyed(socket)
      socket.close()
    },
  },
  {
    holds: 'a maker that calls and does not read is cut off before it takes much memory',
    run: async (target) => {
      const maker = await target.maker({ funded: false })
      const { socket, send } = await maker.connect()
      const before = target.residentMiB()
      socket.pause()
      const quotes = Array.from({ length: 64 }, (_, n) => ({ ref: `${n}`.padStart(64, 'r') }))
      const batch = JSON.stringify({ type: 'quotes', ref: 'b', quotes })
      let hasLeft = false
      socket.on('close', () => (hasLeft = true))
      await assertTurns(target, async () => {
        for (let n = 0; n < 2_000 && !hasLeft; n += 1) {
          send(batch)
          if (n % 10 === 0) await wait(5)
        }
        await wait(500)
      })
      const grown = target.residentMiB() - before
      assert(grown < MOST_GROWN_MIB, `${Math.round(grown)} MiB`)
      socket.terminate()
    },
  },
  {
    holds: 'a storm of subscriptions begins requests once a second',
    run: async (target) => {
      await openMany(target, 50)
      const maker = await target.maker({ funded: false })
      const socket = await maker.connect()
      const begun = Date.now()
      await assertTurns(target, async () => {
        for (let n = 0; n < 5_000; n += 1) {
          socket.send({ type: 'subscribe', to: 'requests' })
          if (n % 50 === 0) await wait(5)
          socket.send({ type: 'unsubscribe', from: 'requests' })
        }
        socket.send({ type: 'subscribe', to: 'requests' })
        await socket.messages.until(({ event }) => event === 'snapshot_complete')
        await obeyed(socket)
      })
      const most = 1 + Math.ceil((Date.now() - begun) / 1_000)
      const snapshots = socket.messages.all().filter(({ event }) => event === 'snapshot_begin').length
      assert(snapshots <= most, `${snapshots} snapshots`)
      socket.close()
    },
  },
  {
    holds: 'requests after an id that is none begin with a snapshot',
    isQuick: true,
    run: async (target) => {
      const maker = await target.maker({ funded: false })
      // A key has 16 connections.
      for (const lastEventId of BAD_IDS) {
        const socket = await maker.connect()
        socket.send({ type: 'subscribe', to: 'requests', lastEventId })
        await socket.messages.until(({ event }) => event === 'snapshot_complete')
        socket.close()
        await socket.closed
      }
      const socket = await maker.connect()
      for (const to of ['', 'Requests', 'everything', null, ['requests'], { to: 'requests' }])
        socket.send({ type: 'subscribe', to })
      await obeyed(socket)
      assert.deepEqual(
        socket.messages.all().map(({ type }) => type),
        ['connected', 'pong'],
      )
      socket.close()
    },
  },
  {
    holds: 'makers that ask for requests and never read them take none from those that do',
    run: async (target) => {
      const silent = await Promise.all(
        [1, 2, 3].map(async () => {
          const maker = await target.maker({ funded: false })
          return Promise.all(Array.from({ length: 16 }, maker.connect))
        }),
      )
      const before = target.residentMiB()
      for (const { socket, send } of silent.flat()) {
        send({ type: 'subscribe', to: 'requests' })
        socket.pause()
      }
      const honest = await (await target.maker({ funded: false })).connect()
      honest.send({ type: 'subscribe', to: 'requests' })
      await honest.messages.until(({ event }) => event === 'snapshot_complete')
      await assertTurns(target, async () => {
        for (let round = 0; round < 10; round += 1) {
          for (const { requestId } of await openMany(target, 40))
            await honest.messages.until(
              ({ event, data }) => event === 'quote_request' && (data as { requestId: string }).requestId === requestId,
            )
        }
      })
      const grown = target.residentMiB() - before
      assert(grown < MOST_GROWN_MIB, `${Math.round(grown)} MiB`)
      for (const { socket } of silent.flat()) {
        socket.terminate()
        await once(socket, 'close')
      }
      honest.close()
    },
  },
]
