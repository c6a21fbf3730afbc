import { expect, it } from 'vitest'
import { type ActionOf, createStore, type Handlers, reduceBy } from '../../src/web/store.ts'
import { createFakeClock } from '../support/fake-clock.ts'

type State = { sum: number }

const handlers = {
  quoted: (state, { by }: { by: number }) => ({ sum: state.sum + by }),
  typed: (state, { by }: { by: number }) => ({ sum: state.sum + by }),
  looked: (state) => state,
} satisfies Handlers<State>

type Action = ActionOf<State, typeof handlers>

/** A store whose quotes are drawn once a frame of 16 ms, and what was heard of it: the sum of each time. */
function open() {
  const clock = createFakeClock()
  const store = createStore({
    initial: { sum: 0 },
    reduce: (state: State, action: Action) => reduceBy(handlers, state, action),
    clock,
    waitMs: ({ kind }) => (kind === 'quoted' ? 16 : 0),
  })
  const [drawn, heard]: [number[], number[]] = [[], []]
  const stop = store.subscribe(() => drawn.push(store.get().sum))
  store.onChange(() => heard.push(store.get().sum))
  return { clock, store, drawn, heard, stop }
}

it('several changes within a frame are drawn once, in their last state, and reported one by one', async () => {
  const { clock, store, drawn, heard } = open()
  for (const by of [1, 2, 3]) store.dispatch({ kind: 'quoted', by })
  expect(drawn).toEqual([1])
  await clock.advance(16)
  expect([drawn, heard]).toEqual([
    [1, 6],
    [1, 3, 6],
  ])
})

it('a change that may not wait is drawn at once, with those that waited, and not a second time in the frame', async () => {
  const { clock, store, drawn } = open()
  store.dispatch({ kind: 'quoted', by: 1 })
  store.dispatch({ kind: 'quoted', by: 2 })
  store.dispatch({ kind: 'typed', by: 10 })
  await clock.advance(100)
  expect(drawn).toEqual([1, 13])
})

it('an action that changes nothing reaches no listener', () => {
  const { store, drawn, heard } = open()
  store.dispatch({ kind: 'looked' })
  expect([drawn, heard]).toEqual([[], []])
})

it('a store that nothing draws keeps no timer', async () => {
  const { clock, store, drawn, stop } = open()
  store.dispatch({ kind: 'quoted', by: 1 })
  store.dispatch({ kind: 'quoted', by: 2 })
  stop()
  store.dispatch({ kind: 'quoted', by: 3 })
  expect([clock.pending(), drawn]).toEqual([0, [1]])
})

it('an action without a handler does not compile', () => {
  // @ts-expect-error: no handler has this name.
  const unknown: Action = { kind: 'forgotten' }
  // @ts-expect-error: the handler takes a number.
  const wrong: Action = { kind: 'quoted', by: '1' }
  expect([unknown.kind, wrong.kind]).toEqual(['forgotten', 'quoted'])
})
