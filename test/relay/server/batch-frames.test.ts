import { describe, expect, test } from 'vitest'
import type { OperatorNews } from '../../../src/relay/core/operations.ts'
import type { EventStream } from '../../../src/relay/server/sse/event-stream.ts'
import { batchFrames, createHold } from '../../../src/relay/server/sse/fan-out.ts'
import { createOperatorHub } from '../../../src/relay/server/sse/operator-stream.ts'
import { createFakeClock, settle } from '../../support/fake-clock.ts'

/** A fan-out that records its calls. */
function createFixture() {
  const calls: string[] = []
  const inner = {
    add: () => {
      calls.push('add')
      return () => void calls.push('leave')
    },
    send: (frame: Buffer) => void calls.push(frame.toString()),
  }
  const fanOut = batchFrames(inner, createHold(createFakeClock()))
  return { calls, fanOut, send: (text: string) => fanOut.send(Buffer.from(text)) }
}

const STREAM = {} as EventStream

describe('a fan-out in batches', () => {
  test('writes the frames of a turn together, in order, and each once', async () => {
    const { calls, send } = createFixture()
    for (const frame of ['1', '2', '3']) send(frame)
    expect(calls).toEqual([])
    await settle()
    expect(calls).toEqual(['123'])
    send('4')
    await settle()
    expect(calls).toEqual(['123', '4'])
  })

  test('shares the buffer of a frame that is alone in its turn', async () => {
    const sent: Buffer[] = []
    const fanOut = batchFrames(
      { add: () => () => {}, send: (frame) => void sent.push(frame) },
      createHold(createFakeClock()),
    )
    const frame = Buffer.from('1')
    fanOut.send(frame)
    await settle()
    expect(sent[0]).toBe(frame)
  })

  test('writes before other work that is held, whenever that was', async () => {
    const order: string[] = []
    const hold = createHold(createFakeClock())
    const fanOut = batchFrames({ add: () => () => {}, send: () => void order.push('frame') }, hold)
    hold(() => order.push('answer'))
    fanOut.send(Buffer.from('1'))
    await settle()
    expect(order).toEqual(['frame', 'answer'])
  })

  test('gives a stream that joins nothing of what was sent before', async () => {
    const { calls, fanOut, send } = createFixture()
    send('1')
    const leave = fanOut.add(STREAM, 'ada')
    send('2')
    await settle()
    leave()
    expect(calls).toEqual(['1', 'add', '2', 'leave'])
  })
})

describe('news for operators', () => {
  test('is written in one piece, the same for all, and not to one that comes when it is over', () => {
    let tell: (news: OperatorNews) => void = () => {}
    let pass = () => {}
    const hub = createOperatorHub({
      feed: {
        open: () => Promise.reject(new Error('not asked')),
        listen: (onNews) => {
          tell = onNews
          return () => {}
        },
      },
      hold: (later) => {
        pass = later
      },
    })
    const heard: [name: string, ids: readonly (number | undefined)[], whole: Buffer][] = []
    const watch = (name: string) =>
      hub.subscribe((news, whole) => void heard.push([name, news.map(({ id }) => id), whole]))
    const happened = (id: number) =>
      tell({ kind: 'happened', events: [{ id, entry: { at: 1, requestId: 'r', kind: 'closed', status: 'expired' } }] })
    watch('ada')
    watch('bob')
    happened(1)
    happened(2)
    expect(heard).toEqual([])
    pass()
    expect(heard.map(([name, ids]) => [name, ids])).toEqual([
      ['ada', [1, 2]],
      ['bob', [1, 2]],
    ])
    expect(heard[0]?.[2]).toBe(heard[1]?.[2])
    happened(3)
    watch('eve')
    pass()
    expect(heard.slice(2).map(([name, ids]) => [name, ids])).toEqual([
      ['ada', [3]],
      ['bob', [3]],
    ])
  })
})
