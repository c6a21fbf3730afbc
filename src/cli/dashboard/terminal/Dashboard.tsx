import type { OperatorClient } from '@rfqctl/client/index'
import type { Clock } from '@rfqctl/lib/clock'
import { followFeed } from '@rfqctl/web/dashboard/feed'
import { commandOf, type KeyPress } from '@rfqctl/web/dashboard/keys'
import type { Line } from '@rfqctl/web/dashboard/line'
import { tickMs } from '@rfqctl/web/dashboard/selectors'
import type { DashboardStore } from '@rfqctl/web/dashboard/state'
import type { Theme } from '@rfqctl/web/dashboard/theme'
import { Text, Transform, useApp, useInput } from 'ink'
import { type ReactNode, useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { describeState, drawScreen } from './screen.ts'

/** The capabilities of a terminal that a dashboard needs. */
export type Screen = {
  size: () => { columns: number; rows: number }
  /** Calls the listener on every change of size. */
  onResize: (listener: () => void) => () => void
  /** Copies to the clipboard. */
  copy: (text: string) => void
}

export type DashboardProps = {
  store: DashboardStore
  client: Pick<OperatorClient, 'watchEvents'>
  clock: Clock
  screen: Screen
  theme: Theme
  paint: (line: Line) => string
}

/** Renders state only; all effects are in its hooks. */
export function Dashboard({ store, client, clock, screen, theme, paint }: DashboardProps): ReactNode {
  const state = useSyncExternalStore(store.subscribe, store.get)
  const size = useSize(screen)
  useFeed({ store, client, clock })
  useTicks({ store, clock, everyMs: theme.medium === 'speech' ? SPEECH_TICK_MS : tickMs(state) })
  useKeys({ store, screen })
  const lines = theme.medium === 'speech' ? describeState(state, theme) : drawScreen(state, theme, size)
  const painted = lines.map(paint)
  return theme.medium === 'speech' ? <Text>{painted.join('\n')}</Text> : <Lines lines={painted} />
}

/**
 * Ink caches the size of every text that it lays out, which would keep each frame. It lays out blanks of as many lines
 * instead, which are replaced when written.
 */
function Lines({ lines }: { lines: readonly string[] }): ReactNode {
  const write = useCallback((_: string, row: number) => lines[row] ?? '', [lines])
  return (
    <Transform transform={write}>
      <Text>{Array.from({ length: lines.length }, () => ' ').join('\n')}</Text>
    </Transform>
  )
}

function useSize(screen: Screen): { columns: number; rows: number } {
  const [size, setSize] = useState(screen.size)
  useEffect(() => screen.onResize(() => setSize(screen.size())), [screen])
  return size
}

function useFeed({ store, client, clock }: Pick<DashboardProps, 'store' | 'client' | 'clock'>): void {
  const { exit } = useApp()
  useEffect(() => {
    const controller = new AbortController()
    followFeed({ client, dispatch: store.dispatch, clock, signal: controller.signal }).catch(exit)
    return () => controller.abort()
  }, [store, client, clock, exit])
}

function useTicks({ store, clock, everyMs }: Pick<DashboardProps, 'store' | 'clock'> & { everyMs: number }): void {
  useEffect(() => {
    let stop = () => {}
    const tick = () => {
      store.dispatch({ kind: 'tick', at: clock.now() })
      next()
    }
    const next = () => {
      stop = clock.schedule(clock.now() + everyMs, tick)
    }
    next()
    return () => stop()
  }, [store, clock, everyMs])
}

function useKeys({ store, screen }: Pick<DashboardProps, 'store' | 'screen'>): void {
  const { exit } = useApp()
  useInput((input, key) => {
    for (const press of pressesOf(input, key)) {
      const command = commandOf(store.get(), press)
      if (command?.kind === 'quit') return exit()
      if (command?.kind === 'act') store.dispatch(command.action)
      if (command?.kind === 'copy') {
        screen.copy(command.id)
        store.dispatch({ kind: 'notice', text: `sent to the clipboard: ${command.id}` })
      }
    }
  })
}

/** Milliseconds; speech takes longer than drawing. */
const SPEECH_TICK_MS = 10_000

const NAMES = {
  upArrow: 'up',
  downArrow: 'down',
  pageUp: 'pageUp',
  pageDown: 'pageDown',
  return: 'enter',
  escape: 'escape',
  tab: 'tab',
  backspace: 'backspace',
  delete: 'backspace',
} as const

/** Control keys that arrive as characters when several keys come in one chunk. */
const CONTROLS: Readonly<Record<string, KeyPress>> = {
  '\r': { text: '', name: 'enter', isCtrl: false },
  '\t': { text: '', name: 'tab', isCtrl: false },
  '\u007f': { text: '', name: 'backspace', isCtrl: false },
  '\u0003': { text: 'c', name: null, isCtrl: true },
}

/** One press per key: keys typed fast, or pasted, arrive in one chunk. */
function pressesOf(input: string, key: Parameters<Parameters<typeof useInput>[0]>[1]): KeyPress[] {
  const named = (Object.keys(NAMES) as (keyof typeof NAMES)[]).find((name) => key[name])
  if (named !== undefined) return [{ text: '', name: NAMES[named], isCtrl: key.ctrl }]
  return [...input].map((text) => CONTROLS[text] ?? { text, name: null, isCtrl: key.ctrl })
}
