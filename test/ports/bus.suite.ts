import { describe, expect, it } from 'vitest'
import type { Absence } from '../../src/protocol/domain/maker-protections.ts'
import { contracts, usd6 } from '../../src/protocol/domain/units.ts'
import type { Bus, MakerMessage, Presence } from '../../src/relay/core/ports/live.ts'
import { anAcceptance, aRequest } from './store.fixtures.ts'

const NOW = Date.UTC(2026, 0, 1)
const OF_QUOTE = { requestId: 'one', quoteId: 'two' }
const used = (accepted: number) => ({ accepted, contracts: contracts(3n), notional: usd6(5n), collateral: usd6(7n) })
const WINDOW = { ms: 60_000, maxAccepted: 1, maxContracts: null, maxNotional: usd6(9n), maxCollateral: null }
const TRIP = { at: NOW, until: null, window: WINDOW, used: used(1), withNext: used(2) }

/** One message of every kind. */
const MAKER_MESSAGES: { [Kind in MakerMessage['kind']]: Extract<MakerMessage, { kind: Kind }> } = {
  accepted: { kind: 'accepted', acceptance: anAcceptance(aRequest(NOW), { now: NOW }) },
  confirmed: { kind: 'confirmed', ...OF_QUOTE },
  rejected: {
    kind: 'rejected',
    ...OF_QUOTE,
    reason: 'another_quote_won',
    feedback: { rank: 2, quoteCount: 3, winningPrice: null },
  },
  protection_tripped: { kind: 'protection_tripped', version: 3, trip: TRIP },
  order_ended: {
    kind: 'order_ended',
    ...OF_QUOTE,
    end: { state: 'filled', transactionHash: `0x${'ab'.repeat(32)}`, blockNumber: 7 },
  },
  missed: { kind: 'missed', ...OF_QUOTE },
  suspended: {
    kind: 'suspended',
    until: NOW,
    because: [{ at: NOW, kind: 'missed', ...OF_QUOTE }],
  },
  reinstated: { kind: 'reinstated', at: NOW },
  order_defunded: {
    kind: 'order_defunded',
    ...OF_QUOTE,
    defunding: { code: 'maker_insufficient_allowance', blockNumber: 8 },
  },
}

/** A rejection by a relay that tells how a quote stood beside the winner, and the winner's price. */
const PRICED: MakerMessage = {
  ...MAKER_MESSAGES.rejected,
  feedback: { rank: 2, quoteCount: 3, winningPrice: usd6(100_001n) },
}

/** A bus, the bus of another node where there are several, and when what was sent has come. */
export type BusUnderTest = { bus: Bus; far: Bus; settled: () => Promise<unknown> }

/** What every bus promises. */
export function describeBus(name: string, open: () => Promise<BusUnderTest>): void {
  const create = async () => (await open()).bus

  describe(`${name}: the bus`, () => {
    it('reaches every subscriber of a topic and key, and no one else', async () => {
      const bus = await create()
      const heard: string[] = []
      bus.subscribe('acceptance', 'one', () => heard.push('first'))
      bus.subscribe('acceptance', 'one', () => heard.push('second'))
      bus.subscribe('acceptance', 'two', () => heard.push('other key'))
      bus.subscribe('key', 'one', () => heard.push('other topic'))
      await bus.publish('acceptance', 'one', 'declined')
      expect(heard).toEqual(['first', 'second'])
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

    it.each([...Object.values(MAKER_MESSAGES), PRICED])(
      'carries a message to a maker, whole, to any node: $kind',
      async (message) => {
        const { bus, far, settled } = await open()
        const heard: MakerMessage[] = []
        far.subscribe('maker', 'ada', (one) => heard.push(one))
        await settled()
        await bus.publish('maker', 'ada', message)
        await settled()
        expect(heard).toEqual([message])
      },
    )

    it('tells each loser of an end, on any node, and no one else', async () => {
      const { bus, far, settled } = await open()
      const heard: [makerId: string, message: MakerMessage][] = []
      for (const makerId of ['ada', 'bob', 'cyd']) far.subscribe('maker', makerId, (one) => heard.push([makerId, one]))
      await settled()
      const { kind: _, ...lost } = MAKER_MESSAGES.rejected
      await bus.reject([
        { makerId: 'ada', ...lost },
        { makerId: 'dan', ...lost },
        { makerId: 'bob', requestId: 'one', quoteId: 'three', reason: 'request_expired' },
      ])
      await bus.reject([])
      await settled()
      expect(heard).toEqual([
        ['ada', MAKER_MESSAGES.rejected],
        ['bob', { kind: 'rejected', requestId: 'one', quoteId: 'three', reason: 'request_expired' }],
      ])
    })

    it('tells the others of an end if a listener of one fails', async () => {
      const bus = await create()
      const heard: string[] = []
      bus.subscribe('maker', 'ada', () => {
        throw new Error('a broken listener')
      })
      bus.subscribe('maker', 'bob', () => heard.push('bob'))
      await bus.reject(['ada', 'bob'].map((makerId) => ({ makerId, ...OF_QUOTE, reason: 'request_cancelled' })))
      expect(heard).toEqual(['bob'])
    })
  })
}

/** What every presence promises. */
export function describePresence(name: string, create: () => Promise<Presence>): void {
  describe(`${name}: presence`, () => {
    it('counts makers, not connections, and streams, not sockets', async () => {
      const presence = await create()
      const first = await presence.join('stream', 'ada', '1')
      const second = await presence.join('stream', 'ada', '2')
      await presence.join('stream', 'bob', '3')
      await presence.join('socket', 'cyd', '4')
      expect(await presence.countStreams()).toBe(2)
      first()
      first()
      expect(await presence.countStreams()).toBe(2)
      second()
      expect(await presence.countStreams()).toBe(1)
    })

    it('counts those that hear of packages apart, who are no more connected for it', async () => {
      const presence = await create()
      const leave = await presence.join('packages', 'ada', '1')
      await presence.join('stream', 'ada', '1')
      await presence.join('stream', 'bob', '2')
      expect([await presence.countStreams('packages'), await presence.countStreams()]).toEqual([1, 2])
      expect((await presence.list()).map(({ streams, sockets }) => [streams, sockets])).toEqual([
        [1, 0],
        [1, 0],
      ])
      leave()
      expect(await presence.countStreams('packages')).toBe(0)
    })

    it('counts those of an audience alone, whatever others are connected', async () => {
      const presence = await create()
      for (const makerId of ['ada', 'bob', 'cyd']) await presence.join('stream', makerId, makerId)
      await presence.join('packages', 'ada', 'ada')
      const count = (kind: 'only' | 'except', ...makers: string[]) => presence.countStreams('stream', { kind, makers })
      expect([await count('only', 'ada', 'eve'), await count('except', 'ada', 'eve')]).toEqual([1, 2])
      expect(await presence.countStreams('packages', { kind: 'except', makers: ['ada'] })).toBe(0)
    })

    it('lists who is connected, with streams and sockets', async () => {
      const presence = await create()
      await presence.join('stream', 'ada', '1')
      const leave = await presence.join('stream', 'ada', '2')
      await presence.join('socket', 'ada', '3')
      await presence.join('socket', 'bob', '4')
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
      const leave = await presence.join('stream', 'ada', '1')
      const other = await presence.join('stream', 'ada', '2')
      expect(await absence('ada')).toEqual({ stream: null, socket: never.socket })
      leave()
      expect((await absence('ada')).stream).toBeNull()
      other()
      const left = (await absence('ada')).stream
      expect(left).toBeGreaterThanOrEqual(never.stream as number)
      await presence.join('socket', 'ada', '3')
      expect(await absence('ada')).toEqual({ stream: left, socket: null })
    })

    it('knows who has a socket and says when one joins', async () => {
      const presence = await create()
      const joined: string[] = []
      const stop = presence.onSocket((makerId) => joined.push(makerId))
      await presence.join('stream', 'ada', '1')
      expect(await presence.hasSocket('ada')).toBe(false)
      const leave = await presence.join('socket', 'ada', '2')
      expect(await presence.hasSocket('ada')).toBe(true)
      leave()
      expect(await presence.hasSocket('ada')).toBe(false)
      stop()
      await presence.join('socket', 'bob', '3')
      expect(joined).toEqual(['ada'])
    })
  })
}
