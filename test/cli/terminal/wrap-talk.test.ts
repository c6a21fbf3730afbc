import { expect, test } from 'vitest'
import { createOutput } from '../../../src/cli/terminal/output.ts'
import { wrapTalk } from '../../../src/cli/terminal/wrap-talk.ts'

const wrapped = (text: string, width: number | null, program = 'rfqctl') => wrapTalk(text, { width, program })

test('a sentence continues between words, indented as it began', () => {
  expect(wrapped('  the best maker signs', 11)).toBe('  the best\n  maker\n  signs')
  expect(wrapped('the best maker signs', null)).toBe('the best maker signs')
  expect(wrapped('one  two\nthree', 8)).toBe('one  two\nthree')
})

test('a command stays whole, so that it is copied whole', () => {
  const note = '2 settled series are not shown: rfqctl series list --all'
  expect(wrapped(note, 60)).toBe(note)
  expect(wrapped(note, 40)).toBe('2 settled series are not shown:\nrfqctl series list --all')
  expect(wrapped(note, 20)).toBe('2 settled series are\nnot shown:\nrfqctl series list --all')
  expect(wrapped('Next: KEY=a ./r(1).js maker stream', 20, './r(1).js')).toBe('Next:\nKEY=a ./r(1).js maker stream')
})

test('talk is wrapped at the width of the terminal that it goes to, and nowhere else', () => {
  const said = (isTTY: boolean) => {
    let text = ''
    const stderr = { isTTY, columns: 12, write: (part: string) => (text += part) }
    const out = createOutput({ stdout: { write: () => {} }, stderr, isJson: false, allowsColor: false })
    out.note('the best maker signs')
    out.advise({}, 'mind the gap between')
    return text
  }
  expect(said(true)).toBe('the best\nmaker signs\nmind the gap\nbetween\n')
  expect(said(false)).toBe('the best maker signs\nmind the gap between\n')
})
