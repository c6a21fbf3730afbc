import { expect, test } from 'vitest'
import { createLocalLive } from '../../src/relay/adapters/live/memory/live.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { createFakeLog } from '../support/fake-log.ts'
import { DEMOTION } from '../support/test-relay.ts'
import { createCollector } from './collector.ts'
import { recordPresence } from './recorded-ports.ts'
import { createTrace } from './trace.ts'

/** A recorded presence, and what is observed of Ada in words. */
function createRecorded(channels: 'any' | 'all') {
  const clock = createFakeClock(0)
  const live = createLocalLive({ clock, log: createFakeLog(), epoch: 1, demotion: DEMOTION, recordQuoter: () => {} })
  const recorders = { collector: createCollector(clock.now), trace: createTrace() }
  recorders.trace.channels.set('ada', channels)
  const presence = recordPresence(live.presence, recorders, { makerIds: ['ada'], clock })
  const join = (channel: 'stream' | 'socket') => presence.join(channel, 'ada', channel)
  const { observations } = recorders.collector
  const began = observations.length
  const seen = () =>
    observations.slice(began).map((one) => {
      if (one.kind !== 'maker_gone' && one.kind !== 'maker_back') return one.kind
      return `${one.channel ?? 'maker'} ${one.kind === 'maker_gone' ? 'gone' : 'back'}`
    })
  return { ...recorders, join, seen }
}

test('a maker that wants both channels comes and goes by each, whatever the other does', async () => {
  const { join, seen } = createRecorded('any')
  const leaveSocket = await join('socket')
  const leaveStream = await join('stream')
  leaveSocket()
  leaveStream()
  await join('socket')
  await join('stream')
  const all = ['socket back', 'stream back', 'socket gone', 'stream gone', 'socket back', 'stream back']
  expect(seen()).toEqual(all)
})

test('a maker that wants one channel is gone when it has neither, and gets both again when it wants both', async () => {
  const { join, seen, trace } = createRecorded('all')
  const leaveSocket = await join('socket')
  const leaveStream = await join('stream')
  leaveSocket()
  leaveStream()
  expect(seen()).toEqual(['maker back', 'maker gone'])
  await join('stream')
  trace.channels.set('ada', 'any')
  trace.noteGone('ada')
  expect(seen().slice(2)).toEqual(['maker back', 'socket gone'])
})
