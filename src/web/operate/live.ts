import { createOperatorClient } from '@rfqctl/client/operator'
import { systemClock } from '@rfqctl/lib/clock'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { followFeed } from '../dashboard/feed.ts'
import { commandOf } from '../dashboard/keys.ts'
import { tickMs } from '../dashboard/selectors.ts'
import { createDashboardStore, type DashboardState, type DashboardStore } from '../dashboard/state.ts'
import { frameClock } from '../parts/frame-clock.ts'
import { createOperateAct, type OperateAct } from './act.ts'
import { pressOf } from './keyboard.ts'
import { PANEL_ID } from './Operate.tsx'

/** At most four redraws a second for the relay's events, the next frame for a key. */
const PACE = { relayMs: 250, keyMs: 0 }

/** Pixels per key. */
const LINE_PX = 48
const MOST_PX = 1_000_000

export function useOperate(token: string, onSignOut: () => void): { state: DashboardState; act: OperateAct } {
  const [store] = useState(() => createDashboardStore({ clock: frameClock, pace: PACE }))
  const state = useSyncExternalStore(store.subscribe, store.get)
  const act = useMemo(() => createOperateAct(store, onSignOut), [store, onSignOut])
  useFeed(store, token)
  useTicks(store, tickMs(state))
  useKeys(store, act)
  useChosenInSight(state)
  return { state, act }
}

function useFeed(store: DashboardStore, token: string): void {
  useEffect(() => {
    const controller = new AbortController()
    const client = createOperatorClient({ url: location.origin, token })
    followFeed({ client, dispatch: store.dispatch, clock: systemClock, signal: controller.signal }).catch(
      (fault: unknown) => {
        const reason = fault instanceof Error ? fault.message : String(fault)
        store.dispatch({ kind: 'refused', isUnauthorised: false, reason })
      },
    )
    return () => controller.abort()
  }, [store, token])
}

function useTicks(store: DashboardStore, everyMs: number): void {
  useEffect(() => {
    const timer = setInterval(() => store.dispatch({ kind: 'tick', at: systemClock.now() }), everyMs)
    return () => clearInterval(timer)
  }, [store, everyMs])
}

function useKeys(store: DashboardStore, act: OperateAct): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const target = event.target instanceof Element ? event.target : document.body
      const focused = target.closest('.cell-button') === null ? target.tagName.toLowerCase() : 'row'
      const isModified = event.ctrlKey || event.metaKey || event.altKey
      const press = pressOf({ key: event.key, isModified, focused })
      const command = press === null ? null : commandOf(store.get(), press)
      if (press === null || command === null) return
      event.preventDefault()
      if (command.kind === 'act' && command.action.kind === 'scroll') scroll(command.action.to - store.get().scroll)
      else act.run(command)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [store, act])
}

function scroll(lines: number): void {
  const top = Math.max(-MOST_PX, Math.min(MOST_PX, lines * LINE_PX))
  document.getElementById(PANEL_ID)?.scrollBy({ top })
  scrollBy({ top })
}

/** A row chosen by key comes into sight, and takes the focus from the former row. */
function useChosenInSight({ view, selected }: DashboardState): void {
  const chosen = selected[view]
  useEffect(() => {
    if (chosen === undefined) return
    const row = document.querySelector('tr[aria-current]')
    row?.scrollIntoView({ block: 'nearest' })
    if (document.activeElement?.matches('.cell-button')) row?.querySelector<HTMLElement>('.cell-button')?.focus()
  }, [chosen])
}
