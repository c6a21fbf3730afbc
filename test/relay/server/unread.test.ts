import { EventEmitter, once } from 'node:events'
import { text as textOf } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { describe, expect, test } from 'vitest'
import { boundUnreadAnswers } from '../../../src/relay/server/plugins/unread-answers.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { rawSocket, SERVER_SETTINGS, startServer } from './support.ts'

const asking = (path: string, times: number): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(times)

describe('a client that does not read', () => {
  test('is cut off when it asks too far ahead', async () => {
    const { port } = await startServer()
    const socket = rawSocket(port)
    socket.pause()
    socket.write(asking('/reference', 400))
    socket.on('error', () => {})
    socket.resume()
    expect((await textOf(socket).catch(() => 'cut off')).length).toBeLessThan(2_000_000)
  })

  test('is cut off when its answers drain nothing for half a minute, and not one that drains a little', async () => {
    const clock = createFakeClock()
    const server = new EventEmitter()
    const { stop } = boundUnreadAnswers({ server, addHook: () => {} } as unknown as FastifyInstance, clock)
    const [stuck, slow, idle] = [connectionWith(1_000_000), connectionWith(1_000_000), connectionWith(0)]
    for (const socket of [stuck, slow, idle]) server.emit('connection', socket)
    for (let s = 0; s < 30; s += 5) {
      await clock.advance(5_000)
      slow._handle.writeQueueSize -= 1
      expect(stuck.destroyed).toBe(false)
    }
    await clock.advance(5_000)
    expect([stuck, slow, idle].map(({ destroyed }) => destroyed)).toEqual([true, false, false])
    stop()
    expect(clock.pending()).toBe(0)
  })

  test('may ask a little ahead, and is answered in order', async () => {
    const { port } = await startServer()
    const socket = rawSocket(port)
    socket.write(`${asking('/healthz', 40)}GET /time HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    const text = await textOf(socket)
    expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(41)
    expect(text.indexOf('"unixMs"')).toBeGreaterThan(text.lastIndexOf('"service"'))
  })
})

/** A connection with so much written that the system has not taken yet. */
function connectionWith(unread: number) {
  const socket = Object.assign(new EventEmitter(), {
    bytesWritten: unread,
    writableLength: unread,
    _handle: { writeQueueSize: unread },
    destroyed: false,
    destroy: () => {
      socket.destroyed = true
      socket.emit('close')
    },
  })
  return socket
}

describe('connections', () => {
  test('from one address are capped, and the one beyond it gets the reason', async () => {
    const { port } = await startServer({ server: { maxConnectionsPerAddress: 2 } })
    const held = [rawSocket(port), rawSocket(port)]
    for (const socket of held) {
      socket.write(asking('/healthz', 1))
      await once(socket, 'data')
    }
    expect(await textOf(rawSocket(port))).toMatch(/^HTTP\/1\.1 429 [\s\S]*"code":"too_many_connections"/)
    held[0]?.destroy()
    await expect
      .poll(async () => {
        const next = rawSocket(port)
        next.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
        return (await textOf(next)).slice(0, 12)
      })
      .toBe('HTTP/1.1 200')
  })

  test('from one address are no more than half of all that may be open', async () => {
    const { port } = await startServer({ server: { maxConnections: 4, maxConnectionsPerAddress: 1_000 } })
    for (const socket of [rawSocket(port), rawSocket(port)]) {
      socket.write(asking('/healthz', 1))
      await once(socket, 'data')
    }
    expect(await textOf(rawSocket(port))).toMatch(/^HTTP\/1\.1 429 /)
  })

  test('from a trusted proxy are not', async () => {
    const server = { maxConnectionsPerAddress: 1, trustProxy: '10.0.0.0/8,127.0.0.1' }
    const { port } = await startServer({ server })
    for (const socket of [rawSocket(port), rawSocket(port)]) {
      socket.write(asking('/healthz', 1))
      expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200/)
    }
  })

  test('are capped in all, and refused ones are counted in one line', async () => {
    const { port, log } = await startServer({ server: { maxConnections: 1 } })
    const held = rawSocket(port)
    held.write(asking('/healthz', 1))
    await once(held, 'data')
    for (let i = 0; i < 3; i += 1) expect(await textOf(rawSocket(port)).catch(() => '')).toBe('')
    expect(log.lines.filter(({ event }) => event === 'connections_refused')).toMatchObject([{ fields: { count: 1 } }])
  })

  test('wait for their next request as long as is set', async () => {
    const { call } = await startServer({ server: { ...SERVER_SETTINGS, keepAliveMs: 7_000 } })
    expect((await call('GET', '/healthz', { headers: { connection: 'keep-alive' } })).headers['keep-alive']).toBe(
      'timeout=7',
    )
  })
})
