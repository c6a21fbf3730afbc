import { describe, expect, it } from 'vitest'
import { commandOf } from '../../../src/web/dashboard/keys.ts'
import { pressOf } from '../../../src/web/operate/keyboard.ts'
import { connected, idOf } from '../../dashboard/scene.ts'

const press = (key: string, focused = 'body', isModified = false) => pressOf({ key, focused, isModified })
const command = (key: string) => {
  const pressed = press(key)
  return pressed === null ? null : commandOf(connected(), pressed)
}

describe('a key of the page', () => {
  it('does what it does in the terminal', () => {
    expect(command('2')).toEqual({ kind: 'act', action: { kind: 'view', view: 'makers' } })
    expect([command('j'), command('ArrowDown')]).toEqual([
      { kind: 'act', action: { kind: 'select', id: idOf(6) } },
      { kind: 'act', action: { kind: 'select', id: idOf(6) } },
    ])
    expect(command('/')).toEqual({ kind: 'act', action: { kind: 'type', text: '' } })
    expect(command('p')).toEqual({ kind: 'act', action: { kind: 'pause' } })
    expect(command('Enter')).toEqual({ kind: 'act', action: { kind: 'overlay', overlay: 'detail' } })
    expect(command('?')).toEqual({ kind: 'act', action: { kind: 'overlay', overlay: 'help' } })
    expect(command('y')).toEqual({ kind: 'copy', id: idOf(2) })
  })

  it("is the browser's with a modifier, while something is typed, and where it moves the focus or closes nothing", () => {
    expect([press('c', 'body', true), press('j', 'input'), press('Tab'), press('F5'), press('q')]).toEqual(
      Array(5).fill(null),
    )
  })

  it('presses what has the focus, but opens the row that has it', () => {
    expect([press('Enter', 'button'), press('Enter', 'a')]).toEqual([null, null])
    expect(press('Enter', 'row')).toMatchObject({ name: 'enter' })
    expect(press('j', 'button')).toMatchObject({ text: 'j' })
  })
})
