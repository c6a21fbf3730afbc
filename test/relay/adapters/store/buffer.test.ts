import { beforeEach, describe, expect, it } from 'vitest'
import { RfqError } from '../../../../src/protocol/domain/errors.ts'
import { type Buffer, createBuffer } from '../../../../src/relay/adapters/store/postgres/buffer.ts'
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts'
import { createFakeLog, type FakeLog } from '../../../support/fake-log.ts'

let clock: FakeClock
let log: FakeLog
let written: number[][]
let fault: Error | null
let buffer: Buffer<number>

beforeEach(() => {
  clock = createFakeClock()
  log = createFakeLog()
  written = []
  fault = null
  buffer = createBuffer<number>({
    clock,
    log,
    write: async (items) => {
      if (fault !== null) throw fault
      written.push([...items])
    },
  })
})

const outage = new RfqError('store_unavailable')

describe('the buffer before Postgres', () => {
  it('writes what was added within a second together, in order', async () => {
    buffer.add(1)
    await clock.advance(999)
    buffer.add(2)
    expect(written).toEqual([])
    await clock.advance(1)
    expect(written).toEqual([[1, 2]])
    expect(clock.pending()).toBe(0)
  })

  it('writes at once when it is flushed, and then nothing more', async () => {
    buffer.add(1)
    await buffer.flush()
    expect(written).toEqual([[1]])
    await clock.advance(5_000)
    await buffer.flush()
    expect(written).toEqual([[1]])
  })

  it('writes one batch at a time', async () => {
    buffer.add(1)
    const first = buffer.flush()
    buffer.add(2)
    await Promise.all([first, buffer.flush()])
    expect(written.flat()).toEqual([1, 2])
  })

  it('tries again after an outage, in order, and fails no caller', async () => {
    fault = outage
    buffer.add(1)
    await buffer.flush()
    buffer.add(2)
    await clock.advance(1_000)
    fault = null
    await clock.advance(1_000)
    expect(written).toEqual([[1, 2]])
    expect(log.lines.map(({ event }) => event)).toEqual(['store_notes_waiting', 'store_notes_waiting'])
  })

  it('gives up the oldest when an outage lasts too long', async () => {
    fault = outage
    for (let i = 0; i < 10_005; i += 1) buffer.add(i)
    await buffer.flush()
    fault = null
    await buffer.flush()
    expect(written.flat()).toHaveLength(10_000)
    expect(written[0]?.[0]).toBe(5)
    expect(buffer.lost()).toBe(5)
  })

  it('gives up a batch that the database will never take', async () => {
    fault = new Error('invalid input syntax for type json')
    buffer.add(1)
    await buffer.flush()
    fault = null
    buffer.add(2)
    await buffer.flush()
    expect(written).toEqual([[2]])
    expect(log.lines).toMatchObject([{ level: 'error', event: 'store_notes_refused', fields: { count: 1 } }])
  })

  it('gives up what the database will never take, and nothing beside it', async () => {
    const taken: number[] = []
    const picky = createBuffer<number>({
      clock,
      log,
      write: async (items) => {
        if (items.some((item) => item % 40 === 7)) throw new Error('unsupported Unicode escape sequence')
        taken.push(...items)
      },
    })
    for (let i = 0; i < 100; i += 1) picky.add(i)
    await picky.flush()
    expect(taken).toEqual(Array.from({ length: 100 }, (_, i) => i).filter((i) => i % 40 !== 7))
    expect(log.lines).toMatchObject([{ level: 'error', event: 'store_notes_refused', fields: { count: 3 } }])
    expect(picky.lost()).toBe(3)
  })

  it('tries again in order what an outage stopped in the middle of that', async () => {
    const taken: number[] = []
    let calls = 0
    const shaky = createBuffer<number>({
      clock,
      log,
      write: async (items) => {
        calls += 1
        if (items.includes(6)) throw new Error('refused')
        if (calls === 4) throw outage
        taken.push(...items)
      },
    })
    for (let i = 0; i < 8; i += 1) shaky.add(i)
    await shaky.flush()
    shaky.add(8)
    await clock.advance(1_000)
    expect(taken).toEqual([0, 1, 2, 3, 4, 5, 7, 8])
    expect(shaky.lost()).toBe(1)
  })

  it('writes what it has when it is closed, and lets go of its timer', async () => {
    buffer.add(1)
    await buffer.close()
    expect(written).toEqual([[1]])
    fault = outage
    buffer.add(2)
    await buffer.close()
    expect(clock.pending()).toBe(0)
  })
})
