import { describe, expect, it } from 'vitest'
import { CHOSEN_MAKER_ID, isReservedMakerId } from '../../../src/protocol/domain/maker-id.ts'

describe('a makerId that an account chooses', () => {
  const pattern = new RegExp(CHOSEN_MAKER_ID)

  it.each(['ada', 'a-1', 'desk-2', 'a'.repeat(24)])('may be %s', (makerId) => {
    expect([pattern.test(makerId), isReservedMakerId(makerId)]).toEqual([true, false])
  })

  it.each(['', 'ad', 'a'.repeat(25), 'Ada', '1ada', '-ada', 'ada_1', 'ada 1', 'ada\n', 'adá', '\u0430da', '__proto__'])(
    'is nothing like %j',
    (makerId) => {
      expect(pattern.test(makerId)).toBe(false)
    },
  )

  it.each([
    'maker-1',
    'maker-6ec0bd7f11c0',
    'mm-1',
    'anon-2d711642',
    'anonymous',
    'all',
    'default',
    'operator',
    'constructor',
  ])('is not %s, which is not for strangers', (makerId) => {
    expect(pattern.test(makerId)).toBe(true)
    expect(isReservedMakerId(makerId)).toBe(true)
  })
})
