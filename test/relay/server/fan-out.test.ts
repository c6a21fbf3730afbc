import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createEventStream } from '../../../src/relay/server/sse/event-stream.ts'
import { createFanOut } from '../../../src/relay/server/sse/fan-out.ts'
import { CHUNKS } from '../../../src/relay/server/sse/frame.ts'
import { createFakeSocket } from './fake-socket.ts'

/** Streams over fake sockets, by name, that have told their opening; `heard` holds each frame with who got it. */
function follow(names: readonly string[]) {
  const fanOut = createFanOut()
  const heard: string[] = []
  const readers = new Map(
    names.map((name) => {
      const fake = createFakeSocket()
      const { write } = fake.socket
      fake.socket.write = (frame, done) => {
        heard.push(`${frame}${name}`)
        return write(frame, done)
      }
      const stream = createEventStream({
        connection: { socket: fake.socket as unknown as Socket, framing: CHUNKS },
        opening: [].values(),
        onEnd: () => leave(),
      })
      const leave = fanOut.add(stream, name)
      return [name, { ...fake, stream, leave }]
    }),
  )
  const reader = (name: string) => {
    const found = readers.get(name)
    if (found === undefined) throw new Error(`no reader ${name}`)
    return found
  }
  return {
    reader,
    heard,
    send: (text: string, names?: string) =>
      fanOut.send(Buffer.from(text), names === undefined ? undefined : (name) => names.includes(name)),
  }
}

describe('a fan-out', () => {
  test('starts each frame at another stream, and reaches all of them', () => {
    const { heard, send } = follow(['a', 'b', 'c'])
    send('1')
    heard.length = 0
    for (const frame of ['2', '3', '4']) send(frame)
    expect(heard).toEqual(['2b', '2c', '2a', '3c', '3a', '3b', '4a', '4b', '4c'])
  })

  test('gives a stream that fell behind its frames in order, and the others theirs', async () => {
    const { reader, heard, send } = follow(['a', 'b', 'c'])
    send('1')
    reader('b').socket.stuck = true
    for (const frame of ['2', '3', '4']) send(frame)
    expect(heard.filter((frame) => !frame.endsWith('b'))).toHaveLength(8)
    await reader('b').drain()
    await reader('b').drain()
    send('5')
    send('6')
    expect(reader('b').taken).toEqual(['1', '2', '3', '4', '5', '6'])
    expect(heard.slice(-3).sort()).toEqual(['6a', '6b', '6c'])
  })

  test('sends a frame to some alone, in order among those for all, also where a reader has fallen behind', async () => {
    const { reader, send } = follow(['a', 'b', 'c'])
    send('1')
    reader('b').socket.stuck = true
    send('2')
    send('3', 'bc')
    send('4')
    send('5', 'a')
    for (let i = 0; i < 4; i += 1) await reader('b').drain()
    send('6')
    expect(['a', 'b', 'c'].map((name) => reader(name).taken.join(''))).toEqual(['12456', '12346', '12346'])
  })

  test('drops a reader that stalls, and no other', () => {
    const { reader, send } = follow(['a', 'b'])
    send('1')
    reader('a').socket.stuck = true
    const frame = 'x'.repeat(64 * 1024)
    for (let i = 0; i < 20; i += 1) send(frame)
    expect(reader('a').socket.destroyed).toBe(true)
    expect(reader('b').taken).toHaveLength(21)
  })

  test('forgets a stream that ends, whether it keeps up or not, and serves the others', () => {
    const { reader, heard, send } = follow(['a', 'b', 'c', 'd'])
    reader('d').leave()
    send('1')
    send('2')
    for (const name of ['a', 'a', 'c']) reader(name).leave()
    heard.length = 0
    send('3')
    expect(heard).toEqual(['3b'])
    reader('b').leave()
    send('4')
    expect(heard).toEqual(['3b'])
  })

  test('writes nothing to a stream that was ended or has gone, while its socket still closes', () => {
    const { reader, heard, send } = follow(['a', 'b', 'c'])
    send('1')
    const ending = reader('a')
    ending.socket.destroySoon = () => {
      ending.socket.writable = false
    }
    ending.stream.end()
    reader('b').socket.destroy()
    heard.length = 0
    for (const frame of ['2', '3']) send(frame)
    expect(heard).toEqual(['2c', '3c'])
  })
})
