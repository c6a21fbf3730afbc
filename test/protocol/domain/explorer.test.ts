import { expect, test } from 'vitest'
import { explorerPage } from '../../../src/protocol/domain/explorer.ts'

const HASH = `0x${'ab'.repeat(32)}`
const ADDRESS = `0x${'Cd'.repeat(20)}`

test('a transaction and an account have a page each, below the address of the explorer (EIP-3091)', () => {
  expect(explorerPage('https://polygonscan.com', HASH)).toBe(`https://polygonscan.com/tx/${HASH}`)
  expect(explorerPage('https://explorer.example/polygon', ADDRESS)).toBe(
    `https://explorer.example/polygon/address/${ADDRESS}`,
  )
})

test.each([`${HASH}/../..`, '0x12', 'javascript:alert(1)', `${ADDRESS} `, `0x${'g'.repeat(40)}`])(
  '%s has none',
  (text) => {
    expect(explorerPage('https://polygonscan.com', text)).toBeNull()
  },
)

test.each([null, 'http://polygonscan.com', 'javascript:', 'https://a.example/?to='])(
  'nothing has one at %s',
  (explorerUrl) => {
    expect(explorerPage(explorerUrl, HASH)).toBeNull()
  },
)
