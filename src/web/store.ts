import type { Clock } from '@rfqctl/lib/clock'

/** The next state, for each kind of action. */
export type Handlers<State> = Readonly<Record<string, (state: State, fields: never) => State>>

/** An action is its handler's key with the fields that the handler takes: none exists without its handler. */
export type ActionOf<State, Table extends Handlers<State>> = {
  [Kind in keyof Table]: Table[Kind] extends (state: State, fields: infer Fields) => State
    ? { kind: Kind } & Fields
    : never
}[keyof Table]

export function reduceBy<State, Table extends Handlers<State>>(
  handlers: Table,
  state: State,
  action: ActionOf<State, Table>,
): State {
  const handle = handlers[action.kind] as (state: State, fields: unknown) => State
  return handle(state, action)
}

/** `State` is another object after each change, and the same one until then. */
export type Store<State, Action> = {
  get: () => State
  dispatch: (action: Action) => void
  /** Hears each change at once. Returns the unsubscribe function. */
  onChange: (hear: () => void) => () => void
  /** For what draws the state: hears of changes at the pace of the store. Returns the unsubscribe function. */
  subscribe: (hear: () => void) => () => void
}

/**
 * `waitMs` is how long after the last drawing one may follow for such a change, milliseconds: changes until then are
 * drawn together. Fits React's `useSyncExternalStore`.
 */
export function createStore<State, Action>(given: {
  initial: State
  reduce: (state: State, action: Action) => State
  clock: Clock
  waitMs: (action: Action, before: State, after: State) => number
}): Store<State, Action> {
  const { reduce, clock, waitMs } = given
  const listeners = new Set<() => void>()
  const drawing = new Set<() => void>()
  let state = given.initial
  let drawnAt = Number.NEGATIVE_INFINITY
  let due: { at: number; stop: () => void } | null = null

  function draw(): void {
    due?.stop()
    due = null
    drawnAt = clock.now()
    for (const hear of [...drawing]) hear()
  }

  function drawBy(at: number): void {
    if (due !== null && due.at <= at) return
    due?.stop()
    if (at <= clock.now()) draw()
    else due = { at, stop: clock.schedule(at, draw) }
  }

  return {
    get: () => state,
    dispatch: (action) => {
      const before = state
      state = reduce(before, action)
      if (state === before) return
      const at = drawnAt + waitMs(action, before, state)
      for (const hear of [...listeners]) hear()
      if (drawing.size > 0) drawBy(at)
    },
    onChange: (hear) => added(listeners, hear),
    subscribe: (hear) => {
      const stop = added(drawing, hear)
      return () => {
        stop()
        if (drawing.size > 0) return
        due?.stop()
        due = null
      }
    },
  }
}

/** Each subscription is one of its own, also of the same function. */
function added(listeners: Set<() => void>, hear: () => void): () => void {
  const listener = () => hear()
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
