import { render } from 'ink-testing-library'
import { createElement } from 'react'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Dashboard } from '../../src/cli/dashboard/terminal/Dashboard.tsx'
import { drawScreen } from '../../src/cli/dashboard/terminal/screen.ts'
import { RelayError, RelayUnreachableError } from '../../src/client/errors.ts'
import type { OperatorClient, OperatorEvent } from '../../src/client/index.ts'
import { createQueue } from '../../src/client/queue.ts'
import { plainText } from '../../src/web/dashboard/line.ts'
import { createDashboardStore } from '../../src/web/dashboard/state.ts'
import { type Theme, UNICODE, WORDS_ONLY } from '../../src/web/dashboard/theme.ts'
import { createFakeClock, settle } from '../support/fake-clock.ts'
import { BUSY, idOf, NOON } from './scene.ts'

const SCREEN: Theme = { glyphs: UNICODE, medium: 'screen' }

const SNAPSHOT: readonly OperatorEvent[] = [
  { kind: 'connected', serverTime: NOON, mode: 'onchain', chainId: 80002 },
  { kind: 'snapshot_begin', openRequests: 0 },
  ...BUSY,
  { kind: 'snapshot_complete' },
]

/** The real dashboard on Ink, with a feed, a clock and a terminal that a test drives. */
function start({ theme = SCREEN }: { theme?: Theme } = {}) {
  const clock = createFakeClock(NOON)
  const queue = createQueue<OperatorEvent>()
  const feed: { aborted: boolean; onConnectionState: (state: never) => void } = {
    aborted: false,
    onConnectionState: () => {},
  }
  const client: Pick<OperatorClient, 'watchEvents'> = {
    watchEvents: ({ signal, onConnectionState } = {}) => {
      signal?.addEventListener('abort', () => {
        feed.aborted = true
      })
      feed.onConnectionState = (state) => onConnectionState?.(state)
      return queue.read()
    },
  }
  const copied: string[] = []
  let size = { columns: 80, rows: 24 }
  const listeners = new Set<() => void>()
  const screen = {
    size: () => size,
    onResize: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    copy: (text: string) => void copied.push(text),
  }
  const store = createDashboardStore({ clock, pace: { relayMs: 200, keyMs: 100 } })
  const shown = render(createElement(Dashboard, { store, client, clock, theme, paint: plainText, screen }))
  onTestFinished(shown.unmount)
  return {
    ...shown,
    store,
    clock,
    queue,
    feed,
    copied,
    frame: () => shown.lastFrame() ?? '',
    hear: async (events: readonly OperatorEvent[]) => {
      for (const event of events) queue.push(event)
      await clock.advance(300)
    },
    type: async (text: string) => {
      shown.stdin.write(text)
      await clock.advance(300)
    },
    resize: async (columns: number, rows: number) => {
      size = { columns, rows }
      for (const listener of listeners) listener()
      await settle()
    },
  }
}

describe('the dashboard on Ink', () => {
  it('shows what the screen draws, line by line', async () => {
    const { hear, frame, store } = start()
    expect(frame()).toContain('Connecting to the relay.')
    await hear(SNAPSHOT)
    const drawn = drawScreen(store.get(), SCREEN, { columns: 80, rows: 24 }).map(plainText)
    expect(
      frame()
        .split('\n')
        .map((line) => line.trimEnd()),
    ).toEqual(drawn)
    expect(frame()).toContain('◐ waits for maker-2')
  })

  it('counts down while a maker is waited for', async () => {
    const { hear, frame, clock } = start()
    await hear(SNAPSHOT)
    expect(frame()).toMatch(/to sign: 7\.\ds left/)
    await clock.advance(2_000)
    expect(frame()).toMatch(/to sign: 5\.\ds left/)
  })

  it('does what keys say, also when they come in one piece', async () => {
    const { hear, type, frame } = start()
    await hear(SNAPSHOT)
    await type('2')
    expect(frame()).toContain('LINK')
    await type('1j\r')
    expect(frame()).toContain('what happened, newest first')
    await type('\u001b')
    await type('/zür\r')
    expect(frame()).toContain('only "zür"')
    await type('\u001b')
    await type('p')
    expect(frame()).toContain('paused at')
    await type('\u001b[B')
    expect(frame()).toMatch(/▸ 3f2b0d7c/)
  })

  it('copies the whole id, and shows it', async () => {
    const { hear, type, frame, copied } = start()
    await hear(SNAPSHOT)
    await type('y')
    expect(copied).toEqual([idOf(2)])
    expect(frame()).toContain(`sent to the clipboard: ${idOf(2)}`)
  })

  it('follows the size of the terminal', async () => {
    const { hear, resize, frame } = start()
    await hear(SNAPSHOT)
    await resize(120, 28)
    expect(frame()).toContain('│')
    await resize(70, 20)
    expect(frame()).toContain('80x24 shows more')
    await resize(50, 20)
    expect(frame()).toBe(['too small', 'needs 60x12', 'has 50x20', 'q quits'].join('\n'))
    await resize(80, 24)
    expect(frame()).toContain('◐ waits for maker-2')
  })

  it('says that the relay is lost, keeps what it knew, and continues when it is back', async () => {
    const { hear, feed, frame, clock } = start()
    await hear(SNAPSHOT)
    const error = new RelayUnreachableError('http://relay', { reason: 'ECONNRESET' })
    feed.onConnectionState({ kind: 'lost', error, retryInMs: 800 } as never)
    await clock.advance(3_000)
    expect(frame()).toMatch(/○ relay lost 2s ago/)
    expect(frame()).toContain('waits for maker-2')
    await hear(SNAPSHOT)
    expect(frame()).toContain('● live')
  })

  it('says when the token is refused', async () => {
    const { queue, frame, clock } = start()
    queue.end(new RelayError({ code: 'operator_token_required', status: 401 }))
    await clock.advance(300)
    expect(frame()).toContain('The relay did not accept the operator token.')
  })

  it('lets go of everything when it is closed', async () => {
    const { hear, unmount, feed, clock } = start()
    await hear(SNAPSHOT)
    unmount()
    await settle()
    expect(feed.aborted).toBe(true)
    expect(clock.pending()).toBe(0)
  })

  it('speaks in sentences to a screen reader', async () => {
    const { hear, frame } = start({ theme: { glyphs: WORDS_ONLY, medium: 'speech' } })
    await hear(SNAPSHOT)
    expect(frame()).toContain('Selected: request 3f2acf9e')
  })
})
