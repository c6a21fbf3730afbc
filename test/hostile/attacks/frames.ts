import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { apiKeyOf } from '../../../src/protocol/domain/api-key.ts'
import type { Attack } from '../lab/attack.ts'
import { flood } from '../lab/flood.ts'
import { only, openMany } from '../lab/steps.ts'
import type { Stranger } from '../lab/stranger.ts'
import type { Target } from '../lab/target.ts'
import { frame, upgrade } from '../lab/web-socket.ts'

/** For how long frames are written as fast as they are taken, in milliseconds, and on how many sockets at once. */
const FLOOD_MS = 1_000
const SOCKETS = 16

/** What a relay may grow by while one key does its worst, in MiB. */
const MOST_GROWN_MIB = 150

/** A socket that somebody opened by hand, with a key or without. */
async function upgraded(stranger: Stranger, apiKey?: string): Promise<Socket> {
  const socket = stranger.socket()
  socket.write(upgrade(...(apiKey === undefined ? [] : [`X-API-Key: ${apiKey}`])))
  await Promise.race([once(socket, 'data'), once(socket, 'close')])
  socket.on('data', () => {})
  return socket
}

/** Writes one frame as often as the other end takes it. */
async function floodFrames(socket: Socket, one: Buffer): Promise<void> {
  const many = Buffer.concat(Array(Math.ceil(65_536 / one.length)).fill(one))
  const end = Date.now() + FLOOD_MS
  while (Date.now() < end && !socket.destroyed) {
    if (socket.write(many)) await wait(1)
    else await Promise.race([once(socket, 'drain'), once(socket, 'close'), wait(FLOOD_MS)]).catch(() => {})
  }
}

/** Floods the sockets of one maker, or of somebody without a key; tells how much more memory the relay held meanwhile, in MiB. */
async function floodSockets(target: Target, one: Buffer, { apiKey }: { apiKey?: string } = {}): Promise<number> {
  const stranger = target.stranger()
  const before = target.residentMiB()
  let most = before
  const watching = setInterval(() => {
    most = Math.max(most, target.residentMiB())
  }, 50)
  const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => upgraded(stranger, apiKey)))
  await Promise.all(sockets.map((socket) => floodFrames(socket, one)))
  clearInterval(watching)
  for (const socket of sockets) socket.destroy()
  return most - before
}

const STRANGERS: Readonly<Record<string, Buffer>> = {
  'messages that mean nothing': frame('{}'),
  pings: frame('{"type":"ping"}'),
  'pings of the protocol': frame('x', { opcode: 9 }),
  'calls of makers': frame('{"type":"quote"}'),
}

const MAKERS: Readonly<Record<string, Buffer>> = {
  'messages that mean nothing': frame('{}'),
  pings: frame('{"type":"ping"}'),
  'pings of the protocol': frame('x', { opcode: 9 }),
  'quotes that are broken': frame('{"type":"quote"}'),
  'confirms of nothing': frame(JSON.stringify({ type: 'quote:confirm', ref: 'a', quoteId: 'b', signature: '0x00' })),
  'declines of nothing': frame(JSON.stringify({ type: 'quote:decline', ref: 'a', quoteId: 'b' })),
}

/** Attacks by what comes in large numbers: frames, and calls that were once answered without a price. */
export const frameAttacks: readonly Attack[] = [
  ...Object.entries(STRANGERS).map(
    ([name, one]): Attack => ({
      holds: `sockets without a key that send ${name} without end take no memory`,
      run: async (target) => {
        const grown = await floodSockets(target, one)
        assert(grown < MOST_GROWN_MIB, `${Math.round(grown)} MiB`)
      },
    }),
  ),
  ...Object.entries(MAKERS).map(
    ([name, one]): Attack => ({
      holds: `${SOCKETS} sockets of a key that send ${name} without end take no memory`,
      run: async (target) => {
        const { apiKey } = await target.maker({ funded: false })
        const grown = await floodSockets(target, one, { apiKey })
        assert(grown < MOST_GROWN_MIB, `${Math.round(grown)} MiB`)
      },
    }),
  ),
  {
    holds: 'a socket is closed with 4001 at the second message that is no key',
    isQuick: true,
    run: async (target) => {
      const socket = await upgraded(target.stranger())
      const heard: Buffer[] = []
      socket.on('data', (bytes: Buffer) => heard.push(bytes))
      socket.write(Buffer.concat(Array(2).fill(frame('{}'))))
      await once(socket, 'close')
      assert(Buffer.concat(heard).includes(Buffer.from([0x0f, 0xa1])), 'it is open still')
      socket.destroy()
    },
  },
  {
    holds: 'a socket that sends more than anybody needs is closed with 1008',
    run: async (target) => {
      const { apiKey } = await target.maker({ funded: false })
      const socket = await upgraded(target.stranger(), apiKey)
      const heard: Buffer[] = []
      socket.on('data', (bytes: Buffer) => heard.push(bytes.subarray(-64)))
      // What it writes to a socket that was closed resets the connection.
      const closed = new Promise((resolve) => void socket.once('close', resolve))
      while (!socket.destroyed && heard.every((bytes) => !bytes.includes('too_many_requests')))
        await floodFrames(socket, frame('{}'))
      socket.destroy()
      await closed
    },
  },
  {
    holds: 'commits to requests that there are not, from many addresses, are 404',
    run: async (target) => {
      const strangers = Array.from({ length: 20 }, target.stranger)
      const { statuses } = await flood(600, 60, (n) =>
        (strangers[n % 20] as Stranger).ask('POST', `/quote-requests/${randomUUID()}/commit`, {
          body: { wallet: `0x${'ab'.repeat(20)}` },
        }),
      )
      only(statuses, [404, 429])
    },
  },
  {
    holds: 'confirms and declines over HTTP of what there is not are refused, with a key and without',
    run: async (target) => {
      const { apiKey } = await target.maker({ funded: false })
      const stranger = target.stranger()
      const { statuses } = await flood(400, 40, (n) =>
        stranger.ask('POST', `/v1/mm/quotes/${randomUUID()}/${n % 2 === 0 ? 'confirm' : 'decline'}`, {
          body: n % 2 === 0 ? { signature: '0x00' } : {},
          headers: n % 4 < 2 ? { 'x-api-key': apiKey } : {},
        }),
      )
      only(statuses, [400, 401, 409, 422, 429, 404])
    },
  },
  {
    holds: 'a maker whose streams begin again and again is let in each time',
    run: async (target) => {
      await openMany(target, 50)
      const { apiKey } = await target.maker({ funded: false })
      const stranger = target.stranger()
      await flood(100, 8, async () => {
        const socket = stranger.socket()
        socket.write(`GET /v1/mm/quote-requests/stream HTTP/1.1\r\nHost: relay\r\nX-API-Key: ${apiKey}\r\n\r\n`)
        const [head] = (await once(socket, 'data')) as [Buffer]
        const closed = once(socket, 'close')
        socket.destroy()
        await closed
        return { status: Number(head.toString().split(' ')[1]) }
      }).then(({ statuses }) => only(statuses, [200, 429]))
    },
  },
  {
    holds: 'lists, with packages and without, are had by the thousand',
    run: async (target) => {
      const strangers = Array.from({ length: 8 }, target.stranger)
      const paths = ['/v1/series', '/v1/series?packages=true', '/v1/markets', '/v1/series?settled=false&packages=true']
      const { statuses } = await flood(1_000, 24, (n) =>
        (strangers[n % 8] as Stranger).ask('GET', paths[n % paths.length] as string),
      )
      only(statuses, [200, 429])
    },
  },
  {
    holds: 'keys of the right form that no one has are refused, and soon not even looked up',
    run: async (target) => {
      const stranger = target.stranger()
      const { statuses } = await flood(2_000, 24, (n) =>
        stranger.ask('GET', '/v1/mm/quotes', { headers: { 'x-api-key': apiKeyOf(BigInt(n % 1_000)) } }),
      )
      only(statuses, [401, 429])
      assert(statuses.has(429), 'nobody counts them')
    },
  },
]
