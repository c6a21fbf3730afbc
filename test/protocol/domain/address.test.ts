import { expect, test } from 'vitest'
import { parseAddress } from '../../../src/protocol/domain/address.ts'

const CHECKSUMMED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const digits = CHECKSUMMED.slice(2)

test.each([CHECKSUMMED, `0x${digits.toLowerCase()}`, `0x${digits.toUpperCase()}`])(
  'an address in one case or with the right checksum becomes its checksummed form: %s',
  (text) => {
    expect(parseAddress(text)).toBe(CHECKSUMMED)
  },
)

test.each([
  ['a wrong checksum', CHECKSUMMED.replace('aA', 'Aa')],
  ['the zero address', `0x${'0'.repeat(40)}`],
  ['39 digits', CHECKSUMMED.slice(0, -1)],
  ['41 digits', `${CHECKSUMMED}0`],
  ['an upper-case prefix', `0X${digits.toLowerCase()}`],
  ['no prefix', digits.toLowerCase()],
  ['a name', 'maker.eth'],
  ['nothing', ''],
])('%s is no address', (_, text) => {
  expect(parseAddress(text)).toBeNull()
})
