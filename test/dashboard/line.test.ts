import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { ansiText, fitLine, flow, lineWidth, wrap } from '../../src/cli/dashboard/terminal/fit.ts'
import { widthOf } from '../../src/lib/text-width.ts'
import { line, plainText, restyled, span } from '../../src/web/dashboard/line.ts'
import { ASCII, UNICODE } from '../../src/web/dashboard/theme.ts'

const texts = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('雨は降ります', 'Zürich', '🎉 day', '● live'))

describe('the width of a text', () => {
  it('is its columns on a terminal, by the quick way and by the other', () => {
    fc.assert(fc.property(texts, (text) => widthOf(span(text).text) === stringWidth(span(text).text)))
  })

  it('is one column for every sign', () => {
    for (const sign of [...Object.values(UNICODE).join(''), ...Object.values(ASCII).join('')]) {
      expect([sign, stringWidth(sign), widthOf(sign)]).toEqual([sign, 1, 1])
    }
  })
})

describe('a line', () => {
  it('is made to fit exactly, whatever is in it', () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 4 }), fc.integer({ min: 1, max: 60 }), (parts, width) => {
        expect(lineWidth(fitLine(line(...parts), width, '…'))).toBe(width)
      }),
    )
  })

  it('is cut with an ellipsis, which keeps the style, and filled on the side that is asked for', () => {
    expect(fitLine([span('maker-1', 'good')], 5, '…')).toEqual([
      { text: 'make', style: 'good' },
      { text: '…', style: 'good' },
    ])
    expect(plainText(fitLine(line('雨は降る'), 6, '…'))).toBe('雨は…')
    expect(plainText(fitLine(line('7'), 3, '…', 'right'))).toBe('  7')
  })

  it('is safe: what strangers wrote cannot move the cursor', () => {
    expect(plainText(line('a\u001b[2Jb', span('c\u202ed')))).toBe('a�[2Jbc�d')
  })

  it('has colour by the 16 that every terminal has, or none', () => {
    expect(ansiText(line('a', span('b', 'good'), span('c', 'strong')))).toBe(
      'a\u001b[32mb\u001b[39m\u001b[1mc\u001b[22m',
    )
    expect(plainText(line('a', span('b', 'good')))).toBe('ab')
    expect(restyled(line('a', span('b', 'good')), 'faint')).toEqual([span('a', 'faint'), span('b', 'faint')])
  })
})

describe('a long text', () => {
  it('breaks between words, and marks a continuation', () => {
    expect(wrap('Wallet holds 3 USD and needs 458.33 USD', 16, 9, '…')).toEqual([
      'Wallet holds 3',
      'USD and needs',
      '458.33 USD',
    ])
    expect(wrap('Wallet holds 3 USD and needs 458.33 USD', 16, 2, '…')).toEqual(['Wallet holds 3', 'USD and needs …'])
    expect(wrap('  rfqctl up --makers 3', 14, 3, '…')).toEqual(['  rfqctl up', '  --makers 3'])
    expect(wrap('', 14, 3, '…')).toEqual([''])
    expect(wrap('0x70997970C51812dc3A010C7d01b50e0d17dc79C8', 10, 2, '…')).toEqual(['0x7099797…'])
  })

  it('flows in pieces into as many lines as it takes', () => {
    const pieces = ['one ', 'two ', 'three '].map((text) => line(text))
    expect(flow(pieces, 9).map(plainText)).toEqual(['one two', 'three'])
    expect(flow([], 9)).toEqual([])
  })
})
