import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { describe, expect, test } from 'vitest'
import type { MakerEvent } from '../../../src/relay/core/ports/live.ts'
import { createConnectionLimits } from '../../../src/relay/server/connections.ts'
import { isFromHere } from '../../../src/relay/server/plugins/maker-auth.ts'
import type { EventStream } from '../../../src/relay/server/sse/event-stream.ts'
import { createFold, createHold } from '../../../src/relay/server/sse/fan-out.ts'
import { chunkOf } from '../../../src/relay/server/sse/frame.ts'
import { createMakerHub } from '../../../src/relay/server/sse/maker-hub.ts'
import { aRequest } from '../../ports/book.fixtures.ts'

describe('a fold', () => {
  function open() {
    let time = 0
    const turns: (() => void)[] = []
    const hold = createHold({ now: () => time, afterTurn: (run) => turns.push(run) })
    const fold = createFold(hold)
    const source = () => {
      const passed: number[] = []
      return { passed, ...fold<number>((value) => passed.push(value)) }
    }
    return {
      hold,
      source,
      turns,
      endTurn: (tookMs = 0) => {
        time += tookMs
        for (const run of turns.splice(0)) run()
      },
    }
  }

  test('passes the newest value on when a turn has brought no other', () => {
    const { source, endTurn, turns } = open()
    const { push, passed } = source()
    push(1)
    push(2)
    endTurn()
    expect(passed).toEqual([])
    endTurn()
    expect(passed).toEqual([2])
    expect(turns).toEqual([])
  })

  test('passes a value on before other work that is held: a taker waits for it', () => {
    const { hold, source, endTurn } = open()
    const { push, passed } = source()
    const seen: number[] = []
    hold(() => void seen.push(...passed))
    push(1)
    endTurn()
    endTurn()
    expect(seen).toEqual([1])
  })

  test('holds values while others come, of whatever source, and no longer than 20 ms', () => {
    const { source, endTurn } = open()
    const [a, b] = [source(), source()]
    a.push(1)
    for (let value = 0; value < 3; value += 1) {
      endTurn(6)
      expect(a.passed).toEqual([])
      b.push(value)
    }
    endTurn(6)
    expect(a.passed).toEqual([1])
    expect(b.passed).toEqual([2])
    a.push(2)
    endTurn()
    endTurn()
    expect(a.passed).toEqual([1, 2])
  })

  test('passes nothing on of a source that was stopped, and the rest', () => {
    const { source, endTurn } = open()
    const [a, b] = [source(), source()]
    a.push(1)
    b.push(1)
    a.stop()
    endTurn()
    endTurn()
    expect([a.passed, b.passed]).toEqual([[], [1]])
  })
})

describe('the maker hub', () => {
  const idOf = (frame: Buffer) => Number(/^[0-9a-f]+\r\nid: (\d+)/.exec(frame.toString())?.[1])

  /** `emit` tells that a request is over, and ends the turn. */
  function createHub() {
    let tell: (event: MakerEvent) => void = () => {}
    let endTurn = () => {}
    const hub = createMakerHub({
      relay: {
        listenMakerFeed: (onEvent) => {
          tell = onEvent
          return () => {}
        },
        countOpen: () => 70,
      },
      hold: (pass) => {
        endTurn = pass
      },
    })
    const end = (id: number) => tell({ id, kind: 'quote_request_expired', requestId: 'r' })
    return {
      hub,
      end,
      ask: (id: number) => tell({ id, kind: 'quote_request', request: aRequest(`${id}`) }),
      endTurn: () => endTurn(),
      emit: (id: number) => {
        end(id)
        endTurn()
      },
    }
  }

  /** A stream that only passes on what it is sent. */
  const streamTo = (send: (frame: Buffer) => void): EventStream => ({
    socket: { writable: true, writableLength: 0, write: send } as unknown as Socket,
    isIdle: () => true,
    send,
    sendNewest: send,
    keepAlive: () => {},
    checkProgress: () => {},
    end: () => {},
    sendAway: () => {},
    abandon: () => {},
  })

  test('knows how much a maker is about to receive: what it has missed, or all that is open', () => {
    const { hub, emit } = createHub()
    expect([null, 5].map(hub.countFrom)).toEqual([71, 71])
    emit(12_000)
    expect([null, 12_000, 11_990, 2_000, 1_999, 12_001].map(hub.countFrom)).toEqual([71, 1, 11, 10_001, 71, 71])
  })

  test('gives the same buffer to everyone', () => {
    const { hub, emit } = createHub()
    const frames: Buffer[] = []
    for (let i = 0; i < 3; i += 1)
      hub.subscribe('ada', { way: 'stream', hears: { packages: false, twoSided: false } }).follow(
        0,
        streamTo((frame) => frames.push(frame)),
      )
    emit(1)
    expect(new Set(frames).size).toBe(1)
    expect(frames[0]?.toString()).toBe(chunkOf('id: 1\nevent: quote_request_expired\ndata: {"requestId":"r"}\n\n'))
  })

  test('gives the same message to all sockets, and none is made while none listens', () => {
    const { hub, emit } = createHub()
    const frames: Buffer[] = []
    const subscriptions = [1, 2, 3].map(() =>
      hub.subscribe('ada', { way: 'socket', hears: { packages: false, twoSided: false } }),
    )
    for (const subscription of subscriptions)
      subscription.follow(
        0,
        streamTo((frame) => frames.push(frame)),
      )
    emit(1)
    expect(new Set(frames).size).toBe(1)
    const text = '{"type":"requests","id":1,"event":"quote_request_expired","data":{"requestId":"r"}}'
    expect(frames[0]).toEqual(Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)]))
  })

  test('forgets those that leave, whichever they are, also twice', () => {
    const { hub, emit } = createHub()
    const heard: string[] = []
    const subscriptions = new Map(
      ['a', 'b', 'c', 'd'].map((name) => [
        name,
        hub.subscribe('ada', { way: 'stream', hears: { packages: false, twoSided: false } }),
      ]),
    )
    for (const [name, subscription] of subscriptions)
      subscription.follow(
        0,
        streamTo(() => heard.push(name)),
      )
    for (const name of ['b', 'b', 'd']) subscriptions.get(name)?.leave()
    emit(1)
    expect(heard.sort()).toEqual(['a', 'c'])
    for (const name of ['a', 'c']) subscriptions.get(name)?.leave()
    emit(2)
    expect(heard).toHaveLength(2)
  })

  test('keeps what happens for a stream that does not follow yet, and lets it go behind its position, once and in order', () => {
    const { hub, emit } = createHub()
    const heard: number[] = []
    const subscription = hub.subscribe('ada', { way: 'stream', hears: { packages: false, twoSided: false } })
    for (const id of [1, 2, 3]) emit(id)
    subscription.follow(
      1,
      streamTo((frame) => heard.push(idOf(frame))),
    )
    expect(heard).toEqual([2, 3])
    emit(4)
    expect(heard).toEqual([2, 3, 4])
  })

  test('tells what happens in a turn after its answers, in order and in one write', () => {
    const { hub, ask, end, endTurn, emit } = createHub()
    const heard: string[][] = []
    emit(1)
    hub.subscribe('ada', { way: 'stream', hears: { packages: false, twoSided: false } }).follow(
      1,
      streamTo((frame) => heard.push(`${frame}`.match(/^id: \d+/gm) ?? [])),
    )
    ask(2)
    end(3)
    ask(4)
    expect(heard).toEqual([])
    endTurn()
    expect(heard).toEqual([['id: 2', 'id: 3', 'id: 4']])
    endTurn()
    expect(heard).toHaveLength(1)
  })

  test('passes over what an opening contained before it came here, and nothing after it', () => {
    const { hub, emit } = createHub()
    const heard: number[] = []
    hub.subscribe('ada', { way: 'stream', hears: { packages: false, twoSided: false } }).follow(
      2,
      streamTo((frame) => heard.push(idOf(frame))),
    )
    for (const id of [1, 2, 3, 4, 5]) emit(id)
    expect(heard).toEqual([3, 4, 5])
  })
})

describe('connection limits', () => {
  test('count per key, also over many addresses, and give back what was taken', () => {
    const limits = createConnectionLimits({ maxStreamsPerKey: 1, maxStreamsPerAddress: null })
    const release = limits.take({ apiKey: 'k', address: 'a' })
    expect(() => limits.take({ apiKey: 'k', address: 'b' })).toThrow(
      expect.objectContaining({ code: 'too_many_connections' }),
    )
    limits.take({ apiKey: 'other', address: 'a' })
    release()
    limits.take({ apiKey: 'k', address: 'b' })
  })

  test('count per address when they are set, and take nothing of a refused connection', () => {
    const limits = createConnectionLimits({ maxStreamsPerKey: 1, maxStreamsPerAddress: 2 })
    limits.take({ apiKey: 'k', address: 'a' })
    expect(() => limits.take({ apiKey: 'k', address: 'a' })).toThrow()
    limits.take({ apiKey: null, address: 'a' })
    expect(() => limits.take({ apiKey: null, address: 'a' })).toThrow()
    limits.take({ apiKey: null, address: 'b' })
  })
})

/** What a browser says of a request. */
const asked = (headers: { host?: string; origin?: string }) => ({ headers }) as FastifyRequest
const host = '127.0.0.1:8787'

test.each([undefined, 'http://localhost:3000', 'http://127.0.0.1', 'https://[::1]:8443'])(
  'the origin %s is local',
  (origin) => {
    expect(isFromHere(asked(origin === undefined ? { host } : { host, origin }))).toBe(true)
  },
)

test.each(['https://evil.example', 'http://localhost.evil.example', 'null', '', 'http://127.0.0.1.nip.io'])(
  'the origin %j is not local',
  (origin) => {
    expect(isFromHere(asked({ host, origin }))).toBe(false)
  },
)

test.each([
  ['localhost', true],
  ['LOCALHOST:8787', true],
  ['[::1]:8787', true],
  ['192.168.1.7', true],
  ['evil.example', false],
  ['localhost.evil.example:8787', false],
  ['127.0.0.1.nip.io', false],
  [undefined, false],
])('a request to the host %s comes from this machine: %s', (name, isLocal) => {
  expect(isFromHere(asked(name === undefined ? {} : { host: name }))).toBe(isLocal)
})
