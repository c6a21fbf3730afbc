import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { createTurnBudgets } from '../../../src/relay/server/plugins/turn-budget.ts'
import { createFrames, letFramesIn } from '../../../src/relay/server/ws/frames-in.ts'
import { createTurns } from './fake-turns.ts'

/** A text frame as clients send it. */
function frame(text: string): Buffer {
  const body = Buffer.from(text)
  const { length } = body
  const size =
    length < 126
      ? [0x80 | length]
      : length < 65_536
        ? [0xfe, length >> 8, length & 255]
        : [0xff, 0, 0, 0, 0, 0, length >> 16, (length >> 8) & 255, length & 255]
  return Buffer.concat([Buffer.from([0x81, ...size, 0, 0, 0, 0]), body])
}

/** All frames that are there of these bytes, added in pieces of so many. */
function framesOf(bytes: Buffer, pieceBytes: number): Buffer[] {
  const frames = createFrames()
  const found: Buffer[] = []
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    frames.add(bytes.subarray(at, at + pieceBytes))
    for (let next = frames.next(); next !== null; next = frames.next()) found.push(next)
  }
  return found
}

describe('bytes as frames', () => {
  const sent = ['', 'x', 'y'.repeat(125), 'z'.repeat(126), 'a'.repeat(70_000), 'b'].map(frame)
  const all = Buffer.concat(sent)

  test('are divided where each frame ends, whatever its length', () => {
    expect(framesOf(all, all.length)).toEqual(sent)
  })

  test.each([1, 3, 1_000, 65_536])('none is lost in packets of %i bytes, and no piece holds two', (pieceBytes) => {
    const found = framesOf(all, pieceBytes)
    expect(Buffer.concat(found).equals(all)).toBe(true)
    const ends = (pieces: readonly Buffer[]) => {
      let at = 0
      return pieces.map(({ length }) => (at += length))
    }
    expect(ends(found)).toEqual(expect.arrayContaining(ends(sent)))
  })

  test('a head of which not all has come is kept', () => {
    const frames = createFrames()
    frames.add(sent[3]?.subarray(0, 3) as Buffer)
    expect(frames.next()).toBeNull()
    frames.add(sent[3]?.subarray(3) as Buffer)
    expect(frames.next()).toEqual(sent[3])
  })
})

/** Sockets whose frames are let in by one budget; each frame takes `frameMs`. */
function createSockets({ frameMs }: { frameMs: number }) {
  const { turns, take, endTurn, coming } = createTurns()
  const { known } = createTurnBudgets(turns)
  const read: string[] = []
  let counted = 0
  const open = (client: string, { units = 1 } = {}) => {
    const connection = Object.assign(new EventEmitter(), { read: () => null })
    const socket = Object.assign(new EventEmitter(), {
      isPaused: false,
      pause: () => {
        socket.isPaused = true
      },
      resume: () => {
        socket.isPaused = false
      },
    })
    connection.on('data', (bytes: Buffer) => {
      read.push(bytes.subarray(6).toString())
      framesIn.weigh(units - 1)
      take(frameMs)
    })
    const framesIn = letFramesIn({
      socket: socket as unknown as WebSocket,
      connection: connection as unknown as Socket,
      place: () => ({ turns: known, client: () => client }),
      onFrame: () => {
        counted += 1
      },
    })
    const send = (...texts: string[]) => connection.emit('data', Buffer.concat(texts.map(frame)))
    return { socket, connection, framesIn, send }
  }
  return { open, read, endTurn, coming, counted: () => counted }
}

const numbered = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}${n}`)

describe('frames on sockets', () => {
  /** So many bytes of a text that a frame has. */
  const FULL = 4 * 1024 - 100
  const long = (name: string) => name + '.'.repeat(FULL - name.length)

  test('are let in at once as long as there is time; then a few wait, and further ones stay where they are', () => {
    const { open, read, endTurn } = createSockets({ frameMs: 2 })
    const [a, b] = [open('a'), open('b')]
    a.send('a0')
    expect([read, a.socket.isPaused]).toEqual([['a0'], false])
    b.send(long('b0'))
    expect([read, b.socket.isPaused]).toEqual([['a0'], false])
    b.send(long('b1'))
    expect([read, b.socket.isPaused]).toEqual([['a0'], true])
    for (let turn = 0; turn < 3; turn += 1) endTurn()
    expect([read.map((text) => text.replace(/\W/g, '')), b.socket.isPaused]).toEqual([['a0', 'b0', 'b1'], false])
  })

  test('that wait are let in before their connection ends', () => {
    const { open, read, counted } = createSockets({ frameMs: 2 })
    const [a, b, held] = [open('a'), open('b'), open('held')]
    a.send('a0')
    b.send('b0', 'b1')
    held.framesIn.hold()
    held.send('c0')
    b.connection.on('end', () => read.push('end'))
    for (const { connection } of [b, held]) connection.emit('end')
    expect(read).toEqual(['a0', 'b0', 'b1', 'end'])
    expect(counted()).toBe(3)
  })

  test('from one socket that sends without end come in sixteen at a time, in turn with the others', () => {
    const { open, read, endTurn } = createSockets({ frameMs: 0.125 })
    const [flood, honest] = [open('flood'), open('honest')]
    flood.send(...numbered('f', 1_000))
    expect([read.length, flood.socket.isPaused]).toEqual([16, true])
    honest.send('h0')
    expect(read).not.toContain('h0')
    for (let turn = 0; turn < 3; turn += 1) endTurn()
    expect(read.indexOf('h0')).toBeLessThan(33)
    expect(honest.socket.isPaused).toBe(false)
    for (let turn = 0; turn < 100; turn += 1) endTurn()
    expect(read.filter((text) => text !== 'h0')).toEqual(numbered('f', 1_000))
    expect(flood.socket.isPaused).toBe(false)
  })

  test('from two sockets of one client take the turn of one', () => {
    const { open, read, endTurn } = createSockets({ frameMs: 2 })
    const sockets = [open('many'), open('many'), open('many'), open('one')]
    for (const [n, { send }] of sockets.entries()) send(...numbered(`${n}-`, 40))
    for (let turn = 0; turn < 6; turn += 1) endTurn()
    const ofOne = read.filter((text) => text.startsWith('3-')).length
    expect(ofOne).toBeGreaterThanOrEqual(read.length / 2 - 16)
  })

  test('that ask for much count for as much', () => {
    const { open, read } = createSockets({ frameMs: 0 })
    const { send, socket } = open('a', { units: 8 })
    send(...numbered('a', 1_000))
    expect([read.length, socket.isPaused]).toEqual([2, true])
  })

  test('wait while they are held, in their order', () => {
    const { open, read } = createSockets({ frameMs: 0 })
    const { send, framesIn, socket } = open('a')
    framesIn.hold()
    send('a0', 'a1')
    expect([read, socket.isPaused]).toEqual([[], true])
    framesIn.goOn()
    expect([read, socket.isPaused]).toEqual([['a0', 'a1'], false])
  })

  test.each(['socket', 'connection'] as const)('are not let in any more once the %s is over', (what) => {
    const { open, read, endTurn } = createSockets({ frameMs: 0 })
    const { send, socket, connection } = open('a')
    send(...numbered('a', 40))
    if (what === 'socket') socket.emit('error', new Error('a broken frame'))
    else connection.emit('close')
    send('late')
    for (let turn = 0; turn < 5; turn += 1) endTurn()
    expect(read).toHaveLength(16)
  })
})
