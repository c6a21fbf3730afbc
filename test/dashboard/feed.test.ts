import { describe, expect, it } from 'vitest'
import { RelayError, RelayUnreachableError } from '../../src/client/errors.ts'
import type { OperatorClient, OperatorEvent } from '../../src/client/index.ts'
import { createQueue } from '../../src/client/queue.ts'
import { followFeed } from '../../src/web/dashboard/feed.ts'
import type { Action } from '../../src/web/dashboard/state.ts'
import { createFakeClock, settle } from '../support/fake-clock.ts'
import { opened } from './scene.ts'

function follow() {
  const clock = createFakeClock()
  const queue = createQueue<OperatorEvent>()
  const actions: Action[] = []
  const controller = new AbortController()
  let onConnectionState: Parameters<OperatorClient['watchEvents']>[0] = {}
  const client: Pick<OperatorClient, 'watchEvents'> = {
    watchEvents: (input = {}) => {
      onConnectionState = input
      return queue.read()
    },
  }
  const dispatch = (action: Action) => void actions.push(action)
  const ended = followFeed({ client, dispatch, clock, signal: controller.signal })
  const link = (state: Parameters<NonNullable<NonNullable<typeof onConnectionState>['onConnectionState']>>[0]) =>
    onConnectionState?.onConnectionState?.(state)
  return { clock, queue, actions, controller, ended, link }
}

const [first, second, third] = [opened(2, 3), opened(4, 2), opened(6, 1)]

describe('the feed', () => {
  it('passes events on in batches', async () => {
    const { clock, queue, actions } = follow()
    queue.push(first)
    queue.push(second)
    await settle()
    expect(actions).toEqual([])
    await clock.advance(100)
    queue.push(third)
    await clock.advance(100)
    expect(actions.map((action) => (action.kind === 'events' ? action.events : action))).toEqual([
      [first, second],
      [third],
    ])
  })

  it('reports the link after the events before it', async () => {
    const { clock, queue, actions, link } = follow()
    queue.push(first)
    await settle()
    const error = new RelayUnreachableError('http://relay', { reason: 'gone' })
    link({ kind: 'lost', error, retryInMs: 500 })
    expect(actions).toMatchObject([{ kind: 'events' }, { kind: 'link', at: clock.now(), state: { kind: 'lost' } }])
  })

  it('ends with a final refusal, and says whether the token was wrong', async () => {
    const { queue, actions, ended } = follow()
    queue.push(first)
    queue.end(new RelayError({ code: 'operator_token_required', status: 401 }))
    await ended
    expect(actions).toMatchObject([
      { kind: 'events' },
      { kind: 'refused', isUnauthorised: true, reason: 'The operator token is missing or not valid.' },
    ])
  })

  it('does not hide a fault of its own', async () => {
    const { queue, ended } = follow()
    queue.end(new TypeError('boom'))
    await expect(ended).rejects.toThrow('boom')
  })

  it('ends quietly when it is stopped', async () => {
    const { clock, queue, controller, ended, actions } = follow()
    queue.push(first)
    await settle()
    controller.abort()
    queue.end(new Error('aborted'))
    await ended
    await clock.advance(1_000)
    expect([actions, clock.pending()]).toEqual([[], 0])
  })
})
