import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createEventStream, type StreamEnd } from '../../../src/relay/server/sse/event-stream.ts'
import { BARE, CHUNKS, chunkOf } from '../../../src/relay/server/sse/frame.ts'
import { createFakeSocket } from './fake-socket.ts'

function createStream(fake: ReturnType<typeof createFakeSocket>, opening: string[] = []) {
  const ends: StreamEnd[] = []
  const stream = createEventStream({
    connection: { socket: fake.socket as unknown as Socket, framing: CHUNKS },
    opening: opening.map((text) => Buffer.from(text)).values(),
    onEnd: (why) => ends.push(why),
  })
  return { stream, ends, send: (text: string) => stream.send(Buffer.from(text)) }
}

const LARGE = 'x'.repeat(60_000)

describe('an event stream', () => {
  test('sends its opening first, then live frames in order', async () => {
    const fake = createFakeSocket()
    fake.socket.stuck = true
    const { send } = createStream(fake, ['a', 'b'])
    send('c')
    send('d')
    await fake.drain()
    send('e')
    await fake.drain()
    expect(fake.taken.join('')).toBe('abcde')
  })

  test('takes from its opening only what its reader has drained', async () => {
    const fake = createFakeSocket()
    fake.socket.stuck = true
    let made = 0
    const opening = (function* () {
      for (; made < 100; made += 1) yield Buffer.from(LARGE)
    })()
    const connection = { socket: fake.socket as unknown as Socket, framing: CHUNKS }
    createEventStream({ connection, opening, onEnd: () => {} })
    expect(made).toBeLessThan(4)
    await fake.drain()
    await expect.poll(() => made).toBe(100)
  })

  test('lets a reader fall behind as often as it catches up', async () => {
    const fake = createFakeSocket()
    const { send, ends } = createStream(fake)
    for (let round = 0; round < 5; round += 1) {
      fake.socket.stuck = true
      for (let i = 0; i < 15; i += 1) send(LARGE)
      await fake.drain()
      await expect.poll(() => fake.taken.length).toBe(15 * (round + 1))
    }
    expect(ends).toEqual([])
  })

  test('sends only the newest of frames that tell all of the earlier ones while its reader takes none', async () => {
    const fake = createFakeSocket()
    const { stream, send } = createStream(fake)
    const sendNewest = (text: string) => stream.sendNewest(Buffer.from(text))
    sendNewest('a')
    await fake.drain()
    fake.socket.stuck = true
    for (const text of ['b', 'c', 'd']) sendNewest(text)
    await fake.drain()
    fake.socket.stuck = true
    for (const text of ['e', 'f', 'g']) sendNewest(text)
    send('end')
    await fake.drain()
    await expect.poll(() => fake.taken.join('')).toBe('abdegend')
  })

  test('drops a reader that leaves more than a mebibyte of live frames', () => {
    const fake = createFakeSocket()
    fake.socket.stuck = true
    const { send, ends } = createStream(fake)
    for (let i = 0; i < 18; i += 1) send(LARGE)
    expect(ends).toEqual([])
    for (let i = 0; i < 3; i += 1) send(LARGE)
    expect(ends).toEqual(['slow'])
  })

  test('drops a reader that drains nothing for 30 s, not one that drains a little', async () => {
    const fake = createFakeSocket()
    fake.socket.stuck = true
    const { send, stream, ends } = createStream(fake)
    for (let at = 0; at <= 60_000; at += 5_000) {
      await fake.drain()
      fake.socket.stuck = true
      send('a')
      stream.checkProgress(at)
    }
    expect(ends).toEqual([])
    stream.checkProgress(85_000)
    expect(ends).toEqual([])
    stream.checkProgress(90_000)
    expect(ends).toEqual(['slow'])
  })

  test('keeps alive only a reader that waits for nothing else', async () => {
    const fake = createFakeSocket()
    fake.socket.stuck = true
    const { stream } = createStream(fake, ['a'])
    stream.keepAlive()
    await fake.drain()
    stream.keepAlive()
    expect(fake.taken).toEqual(['a', chunkOf(': ping\n\n')])
  })

  test('ends after everything queued is sent, and takes nothing more', async () => {
    const fake = createFakeSocket()
    fake.socket.stuck = true
    const { stream, send, ends } = createStream(fake, ['a'])
    send('b')
    stream.end()
    send('c')
    expect(ends).toEqual([])
    await fake.drain()
    await expect.poll(() => ends).toEqual(['closed'])
    expect(fake.taken).toEqual(['a', 'b', '0\r\n\r\n'])
  })

  test('sends a reader that knows no chunks what they hold, and does not end it with one', async () => {
    const fake = createFakeSocket()
    const stream = createEventStream({
      connection: { socket: fake.socket as unknown as Socket, framing: BARE },
      opening: [Buffer.from(chunkOf('é'))].values(),
      onEnd: () => {},
    })
    stream.send(Buffer.from(`${chunkOf('b')}${chunkOf('c'.repeat(300))}`))
    expect(stream.isIdle()).toBe(false)
    await Promise.resolve()
    stream.send(Buffer.from(chunkOf('d')))
    stream.end()
    await expect.poll(() => fake.socket.destroyed).toBe(true)
    expect(fake.taken.join('')).toBe(`éb${'c'.repeat(300)}d`)
  })
})
