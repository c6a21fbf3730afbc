import { describe, expect, test } from 'vitest'
import { byTurn } from '../../src/server/sse/by-turn.ts'
import type { EventStream } from '../../src/server/sse/event-stream.ts'
import { createFakeClock, settle } from '../support/fake-clock.ts'

/** A fan-out that notes what it is asked to do. */
function createFixture() {
  const notes: string[] = []
  const inner = {
    add: () => {
      notes.push('add')
      return () => void notes.push('leave')
    },
    send: (frame: Buffer) => void notes.push(frame.toString()),
  }
  const fanOut = byTurn(inner, createFakeClock())
  return { notes, fanOut, send: (text: string) => fanOut.send(Buffer.from(text)) }
}

const STREAM = {} as EventStream

describe('a fan-out by turns', () => {
  test('writes the frames of a turn together, in order, and each once', async () => {
    const { notes, send } = createFixture()
    for (const frame of ['1', '2', '3']) send(frame)
    expect(notes).toEqual([])
    await settle()
    expect(notes).toEqual(['123'])
    send('4')
    await settle()
    expect(notes).toEqual(['123', '4'])
  })

  test('shares the buffer of a frame that is alone in its turn', async () => {
    const sent: Buffer[] = []
    const fanOut = byTurn({ add: () => () => {}, send: (frame) => void sent.push(frame) }, createFakeClock())
    const frame = Buffer.from('1')
    fanOut.send(frame)
    await settle()
    expect(sent[0]).toBe(frame)
  })

  test('gives a stream that joins nothing of what was sent before', async () => {
    const { notes, fanOut, send } = createFixture()
    send('1')
    const leave = fanOut.add(STREAM)
    send('2')
    await settle()
    leave()
    expect(notes).toEqual(['1', 'add', '2', 'leave'])
  })
})
