import { describe, expect, test } from 'vitest'
import type { EventStream } from '../../src/server/sse/event-stream.ts'
import { batchPerTick } from '../../src/server/sse/fan-out.ts'
import { createFakeClock, settle } from '../support/fake-clock.ts'

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
  const fanOut = batchPerTick(inner, createFakeClock())
  return { calls, fanOut, send: (text: string) => fanOut.send(Buffer.from(text)) }
}

const STREAM = {} as EventStream

describe('a fan-out in batches', () => {
  test('writes the frames of a tick together, in order, and each once', async () => {
    const { calls, send } = createFixture()
    for (const frame of ['1', '2', '3']) send(frame)
    expect(calls).toEqual([])
    await settle()
    expect(calls).toEqual(['123'])
    send('4')
    await settle()
    expect(calls).toEqual(['123', '4'])
  })

  test('shares the buffer of a frame that is alone in its tick', async () => {
    const sent: Buffer[] = []
    const fanOut = batchPerTick({ add: () => () => {}, send: (frame) => void sent.push(frame) }, createFakeClock())
    const frame = Buffer.from('1')
    fanOut.send(frame)
    await settle()
    expect(sent[0]).toBe(frame)
  })

  test('gives a stream that joins nothing of what was sent before', async () => {
    const { calls, fanOut, send } = createFixture()
    send('1')
    const leave = fanOut.add(STREAM)
    send('2')
    await settle()
    leave()
    expect(calls).toEqual(['1', 'add', '2', 'leave'])
  })
})
