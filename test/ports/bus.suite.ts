import { describe, expect, it } from 'vitest'
import type { Absence } from '../../src/domain/maker-protections.ts'
import { usd6 } from '../../src/domain/units.ts'
import type { Bus, Presence } from '../../src/relay/ports/live.ts'

/** What every bus promises. */
export function describeBus(name: string, create: () => Promise<Bus>): void {
  describe(`${name}: the bus`, () => {
    it('reaches every subscriber of a topic and key, and nobody else', async () => {
      const bus = await create()
      const heard: string[] = []
      bus.subscribe('acceptance', 'one', () => heard.push('first'))
      bus.subscribe('acceptance', 'one', () => heard.push('second'))
      bus.subscribe('acceptance', 'two', () => heard.push('other key'))
      bus.subscribe('key', 'one', () => heard.push('other topic'))
      await bus.publish('acceptance', 'one', 'declined')
      expect(heard).toEqual(['first', 'second'])
    })

    it.each([null, usd6(100_001n)])('carries how a quote stood beside the winner, priced %s', async (winningPrice) => {
      const bus = await create()
      const heard: unknown[] = []
      bus.subscribe('maker', 'ada', (message) => heard.push(message))
      const rejected = { kind: 'rejected', requestId: 'r', quoteId: 'q', reason: 'another_quote_won' } as const
      const message = { ...rejected, feedback: { rank: 2, quoteCount: 3, winningPrice } }
      await bus.publish('maker', 'ada', message)
      await bus.publish('maker', 'ada', rejected)
      expect(heard).toEqual([message, rejected])
    })

    it('leaves a subscriber alone that stopped, also one that subscribed the same function twice', async () => {
      const bus = await create()
      const heard: string[] = []
      const listener = (message: string) => heard.push(message)
      const stop = bus.subscribe('acceptance', 'one', listener)
      bus.subscribe('acceptance', 'one', listener)
      stop()
      stop()
      await bus.publish('acceptance', 'one', 'confirmed')
      expect(heard).toEqual(['confirmed'])
    })
  })
}

/** What every presence promises. */
export function describePresence(name: string, create: () => Promise<Presence>): void {
  describe(`${name}: presence`, () => {
    it('counts makers, not connections, and streams, not sockets', async () => {
      const presence = await create()
      const first = presence.join('stream', 'ada', '1')
      const second = presence.join('stream', 'ada', '2')
      presence.join('stream', 'bob', '3')
      presence.join('socket', 'cyd', '4')
      expect(await presence.countStreams()).toBe(2)
      first()
      first()
      expect(await presence.countStreams()).toBe(2)
      second()
      expect(await presence.countStreams()).toBe(1)
    })

    it('lists who is connected, with streams and sockets', async () => {
      const presence = await create()
      presence.join('stream', 'ada', '1')
      const leave = presence.join('stream', 'ada', '2')
      presence.join('socket', 'ada', '3')
      presence.join('socket', 'bob', '4')
      leave()
      const listed = [...(await presence.list())].sort((a, b) => (a.makerId < b.makerId ? -1 : 1))
      expect(listed).toEqual([
        { makerId: 'ada', streams: 1, sockets: 1 },
        { makerId: 'bob', streams: 0, sockets: 1 },
      ])
    })

    it('knows since when a maker has no stream and no socket, each for itself', async () => {
      const presence = await create()
      const absence = async (makerId: string) => (await presence.absences(['nobody', makerId]))[1] as Absence
      const never = await absence('ada')
      expect(never).toEqual({ stream: expect.any(Number), socket: expect.any(Number) })
      const leave = presence.join('stream', 'ada', '1')
      const other = presence.join('stream', 'ada', '2')
      expect(await absence('ada')).toEqual({ stream: null, socket: never.socket })
      leave()
      expect((await absence('ada')).stream).toBeNull()
      other()
      const left = (await absence('ada')).stream
      expect(left).toBeGreaterThanOrEqual(never.stream as number)
      presence.join('socket', 'ada', '3')
      expect(await absence('ada')).toEqual({ stream: left, socket: null })
    })

    it('knows who has a socket and says when one joins', async () => {
      const presence = await create()
      const joined: string[] = []
      const stop = presence.onSocket((makerId) => joined.push(makerId))
      presence.join('stream', 'ada', '1')
      expect(await presence.hasSocket('ada')).toBe(false)
      const leave = presence.join('socket', 'ada', '2')
      expect(await presence.hasSocket('ada')).toBe(true)
      leave()
      expect(await presence.hasSocket('ada')).toBe(false)
      stop()
      presence.join('socket', 'bob', '3')
      expect(joined).toEqual(['ada'])
    })
  })
}
