import { expect, test } from 'vitest'
import { backgroundEnded, inBackground } from '../../src/relay/core/context.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { createFakeLog } from '../support/fake-log.ts'

/** What is waited for until it is opened. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

const fixture = () => ({ log: createFakeLog(), clock: createFakeClock() })

test('a relay that ends waits for what runs behind its answers, and for what that begins', async () => {
  const context = fixture()
  const told: string[] = []
  const [first, second] = [gate(), gate()]
  inBackground(context, 'first_failed', async () => {
    await first.opened
    told.push('first')
    inBackground(context, 'second_failed', async () => {
      await second.opened
      told.push('second')
    })
  })
  const ended = backgroundEnded(context, 1_000).then(() => told.push('ended'))
  first.open()
  await new Promise(setImmediate)
  expect(told).toEqual(['first'])
  second.open()
  await ended
  expect(told).toEqual(['first', 'second', 'ended'])
})

test('and no longer than it is let, for nothing of another relay, and not for what has failed', async () => {
  const [context, other] = [fixture(), fixture()]
  inBackground(other, 'never_ends', () => new Promise(() => {}))
  inBackground(context, 'work_failed', () => Promise.reject(new Error('no luck')))
  await backgroundEnded(context, 1_000)
  expect(context.log.lines).toMatchObject([{ level: 'error', event: 'work_failed' }])
  inBackground(context, 'never_ends', () => new Promise(() => {}))
  let isOver = false
  const ended = backgroundEnded(context, 1_000).then(() => {
    isOver = true
  })
  await context.clock.advance(999)
  expect(isOver).toBe(false)
  await context.clock.advance(1)
  await ended
})
