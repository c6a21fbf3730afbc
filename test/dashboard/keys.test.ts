import { describe, expect, it } from 'vitest'
import { type Command, commandOf, type KeyPress } from '../../src/web/dashboard/keys.ts'
import { type DashboardState, initialState, reduce } from '../../src/web/dashboard/state.ts'
import { connected, idOf } from './scene.ts'

const key = (text: string): KeyPress => ({ text, name: null, isCtrl: false })
const named = (name: KeyPress['name']): KeyPress => ({ text: '', name, isCtrl: false })

/** The state after some keys; what goes beyond the state is collected. */
function press(state: DashboardState, ...presses: (string | KeyPress)[]): { state: DashboardState; beyond: Command[] } {
  const beyond: Command[] = []
  const after = presses.reduce<DashboardState>((current, item) => {
    const command = commandOf(current, typeof item === 'string' ? key(item) : item)
    if (command?.kind === 'act') return reduce(current, command.action)
    if (command !== null) beyond.push(command)
    return current
  }, state)
  return { state: after, beyond }
}

const chosen = (...presses: (string | KeyPress)[]) => press(connected(), ...presses).state.selected.requests

describe('a key', () => {
  it('1 to 6 shows a view, tab the next', () => {
    expect(press(connected(), '4').state.view).toBe('settlement')
    expect(press(connected(), '4', named('tab')).state.view).toBe('events')
    expect(press(connected(), '6', named('tab')).state.view).toBe('requests')
    expect(press(connected(), '7', '0').state.view).toBe('requests')
  })

  it('moves through the rows and stays within them', () => {
    expect([chosen('j'), chosen(named('down')), chosen('j', 'j', 'k')]).toEqual([idOf(6), idOf(6), idOf(6)])
    expect([chosen('k'), chosen('G'), chosen('G', 'j'), chosen('G', 'g')]).toEqual([idOf(2), idOf(1), idOf(1), idOf(2)])
    expect([chosen(named('pageDown')), chosen('G', named('pageUp'))]).toEqual([idOf(1), idOf(2)])
    expect(press(initialState(1), 'j').state.selected).toEqual({})
  })

  it('enter opens the chosen request, where there is one, and esc goes back', () => {
    const open = press(connected(), 'j', named('enter')).state
    expect(open).toMatchObject({ overlay: 'detail', selected: { requests: idOf(6) } })
    expect(press(open, named('escape')).state.overlay).toBe('none')
    expect(press(connected(), '2', named('enter')).state.overlay).toBe('none')
  })

  it('scrolls a request that is open', () => {
    const open = press(connected(), named('enter'), 'j', named('down'), 'k').state
    expect([open.scroll, press(open, 'g').state.scroll]).toEqual([1, 0])
  })

  it('p pauses and resumes', () => {
    expect(press(connected(), 'p').state.frozen).not.toBeNull()
    expect(press(connected(), 'p', 'p').state.frozen).toBeNull()
  })

  it('? helps, and rows stand still meanwhile', () => {
    expect(press(connected(), '?', 'j').state).toMatchObject({ overlay: 'help', selected: {} })
    expect(press(connected(), '?', '?').state.overlay).toBe('none')
  })

  it('y copies the whole id of the chosen row, where there is one', () => {
    expect(press(connected(), 'j', 'y').beyond).toEqual([{ kind: 'copy', id: idOf(6) }])
    expect(press(connected(), '6', 'y').beyond).toEqual([])
  })

  it('q and ctrl-c quit at once, wherever one is', () => {
    const ctrlC = { text: 'c', name: null, isCtrl: true } as const
    for (const before of [[], ['?'], [named('enter')], ['p']]) {
      expect(press(connected(), ...before, 'q').beyond).toEqual([{ kind: 'quit' }])
      expect(press(connected(), ...before, ctrlC).beyond).toEqual([{ kind: 'quit' }])
    }
    expect(press(connected(), '/', ctrlC).beyond).toEqual([{ kind: 'quit' }])
    const refused = reduce(initialState(1), { kind: 'refused', isUnauthorised: true, reason: 'no' })
    expect(press(refused, '2', 'q')).toMatchObject({ state: { view: 'requests' }, beyond: [{ kind: 'quit' }] })
  })

  it('that means nothing does nothing', () => {
    expect(press(connected(), 'x', 'Z', named('backspace'), { text: 'z', name: null, isCtrl: true }).state).toEqual(
      connected(),
    )
  })
})

describe('a filter', () => {
  it('is typed, mended, and kept with enter; letters are no keys meanwhile', () => {
    const typing = press(connected(), '/', 'q', 'p', 'x', named('backspace'), named('up')).state
    expect(typing).toMatchObject({ typing: 'qp', frozen: null })
    expect(press(typing, named('enter')).state).toMatchObject({ typing: null, filter: 'qp' })
  })

  it('that is dropped with esc leaves the former one; esc again shows all', () => {
    const filtered = press(connected(), '/', 'a', named('enter'), '/', 'b', named('escape')).state
    expect(filtered).toMatchObject({ typing: null, filter: 'a' })
    expect(press(filtered, named('escape')).state.filter).toBe('')
    expect(press(connected(), named('escape')).state).toEqual(connected())
  })
})
