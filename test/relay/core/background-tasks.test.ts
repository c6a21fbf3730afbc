import { expect, test } from 'vitest'
import { createBackgroundTasks } from '../../../src/relay/core/background-tasks.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { createFakeLog } from '../../support/fake-log.ts'

/** What is waited for until it is opened. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

function fixture() {
  const [log, clock] = [createFakeLog(), createFakeClock()]
  return { log, clock, ...createBackgroundTasks({ log, clock }) }
}

test('a relay that ends waits for what runs behind its answers, and for what that begins', async () => {
  const context = fixture()
  const told: string[] = []
  const [first, second] = [gate(), gate()]
  context.run('first_failed', async () => {
    await first.opened
    told.push('first')
    context.run('second_failed', async () => {
      await second.opened
      told.push('second')
    })
  })
  const ended = context.ended(1_000).then(() => told.push('ended'))
  first.open()
  await new Promise(setImmediate)
  expect(told).toEqual(['first'])
  second.open()
  await ended
  expect(told).toEqual(['first', 'second', 'ended'])
})

test('and no longer than it is let, for nothing of another relay, and not for what has failed', async () => {
  const [context, other] = [fixture(), fixture()]
  other.run('never_ends', () => new Promise(() => {}))
  context.run('work_failed', () => Promise.reject(new Error('no luck')))
  await context.ended(1_000)
  expect(context.log.lines).toMatchObject([{ level: 'error', event: 'work_failed' }])
  context.run('never_ends', () => new Promise(() => {}))
  let isOver = false
  const ended = context.ended(1_000).then(() => {
    isOver = true
  })
  await context.clock.advance(999)
  expect(isOver).toBe(false)
  await context.clock.advance(1)
  await ended
})
