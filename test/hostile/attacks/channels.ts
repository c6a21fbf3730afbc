import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { createInbox } from '../../kit/inbox.ts'
import type { Attack } from '../lab/attack.ts'
import { flood } from '../lab/flood.ts'
import { only, openMany } from '../lab/steps.ts'
import type { Stranger } from '../lab/stranger.ts'
import type { Target } from '../lab/target.ts'
import { frame, upgrade } from '../lab/web-socket.ts'

const STREAM = '/v1/mm/quote-requests/stream'

const PONG = '"pong"'

/** Opens a socket by hand, writes the bytes in one packet with what makes it, and tells what came until it closed, or so many pongs. */
async function spokenTo(stranger: Stranger, bytes: Buffer, pongs = Number.POSITIVE_INFINITY): Promise<string> {
  const socket = stranger.socket()
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
  let closed = false
  socket.on('close', () => (closed = true))
  socket.write(upgrade())
  while (!text.includes('101') && !closed) await wait(10)
  socket.write(bytes)
  while (!closed && pongsIn(text) < pongs) await wait(20)
  socket.destroy()
  return text
}

const pongsIn = (text: string): number => text.split(PONG).length - 1

const FRAMES: Readonly<Record<string, Buffer>> = {
  'without a mask': frame('{"type":"ping"}', { masked: false }),
  'with reserved bits': frame('{"type":"ping"}', { rsv: 4 }),
  'with an unknown opcode': frame('x', { opcode: 3 }),
  'that go on what never began': frame('x', { opcode: 0 }),
  'with a long control frame': frame('x'.repeat(126), { opcode: 9 }),
  'with a length of 64 bits': Buffer.from([0x81, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0]),
  'with 5 KiB of text': frame('x'.repeat(5_120)),
  'with bytes that are no text': Buffer.concat([frame('').subarray(0, 1), Buffer.from([0x82, 0, 0, 0, 0, 0xff, 0xfe])]),
  'with a key that is none': frame('{"type":"auth","apiKey":"mk_live_nothing"}'),
  'with a key of 4,000 characters': frame(JSON.stringify({ type: 'auth', apiKey: 'k'.repeat(4_000) })),
  'with a key that is an object': frame('{"type":"auth","apiKey":{"$ne":""}}'),
}

export const channelAttacks: readonly Attack[] = [
  ...Object.entries(FRAMES).map(
    ([name, bytes]): Attack => ({
      holds: `a socket ${name} is closed`,
      run: async (target) => {
        const text = await spokenTo(target.stranger(), bytes)
        assert(!text.includes('"connected"'), 'it was let in')
      },
    }),
  ),
  {
    holds: 'what follows the key in one packet is heard, too',
    isQuick: true,
    known: true,
    run: async (target) => {
      const { apiKey } = await target.maker({ funded: false })
      const stranger = target.stranger()
      const auth = frame(JSON.stringify({ type: 'auth', apiKey }))
      const ping = frame('{"type":"ping"}')
      const text = await spokenTo(stranger, Buffer.concat([auth, ping, ping, ping]), 3)
      assert.match(text, /"connected"/)
      assert.equal(pongsIn(text), 3)
    },
  },
  {
    holds: 'sockets that never say who they are do not stay',
    known: true,
    run: async (target) => {
      const stranger = target.stranger()
      const sockets = Array.from({ length: 100 }, () => stranger.socket())
      let closed = 0
      for (const socket of sockets) {
        socket.on('close', () => (closed += 1))
        // A peer that reads but does not answer the close.
        socket.on('data', () => {})
        socket.write(upgrade())
      }
      await wait(8_000)
      for (const socket of sockets) socket.destroy()
      assert.equal(closed, 100)
    },
  },
  {
    holds: 'a maker with many connections takes no more than its share',
    run: async (target) => {
      const { apiKey } = await target.maker({ funded: false })
      const sockets = Array.from(
        { length: 40 },
        () => new WebSocket(`${target.ready.wsUrl}/maker/v1/ws?apiKey=${apiKey}`),
      )
      const opened = await Promise.all(
        sockets.map(
          (socket) =>
            new Promise<boolean>((resolve) => {
              socket.on('message', () => resolve(true))
              socket.on('error', () => resolve(false))
              socket.on('close', () => resolve(false))
            }),
        ),
      )
      for (const socket of sockets) socket.terminate()
      assert.equal(opened.filter(Boolean).length, 16)
    },
  },
  {
    holds: 'pings without end on one socket are answered to those who read, and end one that does not',
    run: async (target) => {
      const { apiKey } = await target.maker({ funded: false })
      const before = target.residentMiB()
      const stranger = target.stranger()
      const socket = stranger.socket()
      socket.write(upgrade().replace('/maker/v1/ws', `/maker/v1/ws?apiKey=${apiKey}`))
      await wait(300)
      socket.pause()
      const pings = Buffer.concat(Array(2_000).fill(frame('{"type":"ping"}')))
      for (let n = 0; n < 40 && !socket.destroyed; n += 1) {
        socket.write(pings)
        await wait(25)
      }
      const grown = target.residentMiB() - before
      socket.destroy()
      assert(grown < 100, `${Math.round(grown)} MiB`)
    },
  },
  {
    holds: 'what a stream is asked to go on from is a number of its own, or nothing',
    run: async (target) => {
      const { apiKey } = await target.maker({ funded: false })
      const [opened] = await openMany(target, 1)
      const ids = [
        '-1',
        '0',
        '9'.repeat(400),
        '1e9',
        'NaN',
        '0x10',
        '1 2',
        "1' OR 1",
        '٣',
        '%00',
        '',
        `${2 ** 53}`,
        'null',
      ]
      for (const id of ids) {
        const response = await fetch(`${target.ready.url}${STREAM}`, {
          headers: { 'x-api-key': apiKey, 'last-event-id': Buffer.from(id).toString('latin1') },
        })
        const events = createInbox<string>(`the stream after ${id}`)
        const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
        let text = ''
        while (!text.includes('snapshot_complete') && !text.includes('event: quote_request\n')) {
          const { value, done } = (await reader?.read()) ?? { done: true }
          if (done) break
          text += value
        }
        await reader?.cancel()
        events.end('read')
        assert.equal(response.status, 200, `${id}`)
        assert(text.includes('connected'), `${id}: ${text}`)
      }
      assert(opened)
    },
  },
  {
    holds: 'cursors and limits that were not given out are refused',
    isQuick: true,
    run: async (target) => {
      const maker = await target.maker({ funded: false })
      const queries = [
        'cursor=x',
        'cursor=-1',
        `cursor=${'a'.repeat(5_000)}`,
        'cursor=%00',
        'limit=0',
        'limit=-5',
        'limit=1e9',
        'limit=99999999',
        'limit=1&limit=2',
        'since=x',
        'since=-1',
        'status=everything',
        'cursor[]=1',
        'cursor=eyJhIjoxfQ==',
      ]
      for (const query of queries) {
        const { status } = await maker.call('GET', `/v1/mm/executions?${query}`)
        only(status, [200, 400])
        if (/^(limit=(0|-5|1e9|99999999)$|status=|since=x)/.test(query)) assert.equal(status, 400, query)
      }
    },
  },
  {
    holds: 'keys that are nearly right open nothing',
    isQuick: true,
    run: async (target) => {
      const { apiKey } = await target.maker({ funded: false })
      const stranger = target.stranger()
      const wrong = [
        apiKey.slice(0, -1),
        `${apiKey}x`,
        apiKey.toUpperCase(),
        `${apiKey},${apiKey}`,
        `Bearer ${apiKey}`,
        '',
        '*',
        'null',
        'undefined',
        '[object Object]',
        `${apiKey}\u00a0`,
      ]
      for (const key of wrong)
        for (const path of ['/v1/mm/quotes', '/v1/mm/executions', STREAM]) {
          const byHeader = await stranger.ask('GET', path, {
            headers: { 'x-api-key': Buffer.from(key).toString('latin1') },
          })
          assert.equal(byHeader.status, 401, `${key} at ${path}`)
          const byQuery = await stranger.ask('GET', `${path}?apiKey=${encodeURIComponent(key)}`)
          assert.equal(byQuery.status, 401, `${key} at ${path}`)
        }
      const twice = await stranger.ask('GET', `/v1/mm/quotes?apiKey=${apiKey}&apiKey=${apiKey}`)
      assert.equal(twice.status >= 400, true)
    },
  },
  {
    holds: 'guessing keys by the thousand finds nothing and slows nobody',
    run: async (target) => {
      const stranger = target.stranger()
      const { statuses } = await flood(3_000, 24, (n) =>
        stranger.ask('GET', '/v1/mm/quotes', {
          headers: { 'x-api-key': `mk_live_${n.toString(36).padStart(40, '0')}` },
        }),
      )
      only(statuses, [401, 429])
      await target.assertServes()
    },
  },
  {
    holds: 'two hundred streams of one request that nobody reads hold up neither the relay nor its honest reader',
    run: async (target) => {
      const [opened] = await openMany(target, 1)
      const path = `/quote-requests/${opened?.requestId}/stream`
      const stranger = target.stranger()
      const sockets = Array.from({ length: 200 }, () => stranger.socket())
      for (const socket of sockets) {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: relay\r\n\r\n`)
        socket.pause()
      }
      const honest = await target.service.stream(path)
      const maker = await target.maker()
      for (let n = 0; n < 20; n += 1) await maker.quoted(opened?.requestId as string, { price: (200 - n) / 1_000 })
      await honest.until('best_quote', ({ bestQuote }) => (bestQuote as { price?: number } | null)?.price === 0.181)
      honest.close()
      for (const socket of sockets) socket.destroy()
    },
  },
  {
    holds: 'streams of requests that there are not are not streams',
    isQuick: true,
    run: async (target: Target) => {
      const stranger = target.stranger()
      for (const id of [crypto.randomUUID(), '1', '%00', '__proto__', 'a'.repeat(3_000)]) {
        const reply = await stranger.ask('GET', `/quote-requests/${id}/stream`)
        only(reply.status, [404, 414])
        assert.equal(reply.body.success, false)
      }
    },
  },
]
