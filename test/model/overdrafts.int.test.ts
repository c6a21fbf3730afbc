import { expect, test } from 'vitest'
import { contracts } from '../../src/protocol/domain/units.ts'
import type { Acceptance } from '../../src/relay/core/ports/store.ts'
import { CALL_BUY } from '../support/test-relay.ts'
import { overdraftsBy } from './overdrafts.ts'

/** Ada sells 200 calls, of which so many come from those that its wallet holds: 55 dollars for each hundred that it writes. */
const selling = (fromInventory: bigint, seriesId = '7') =>
  ({
    option: CALL_BUY.option,
    order: { maker: '0xada', seriesId, makerSelling: true, optionAmount: contracts(200n), premiumAmount: 20_000_000n },
    ...(fromInventory > 0n ? { fromInventory: contracts(fromInventory) } : {}),
  }) as unknown as Acceptance

const HAS = { balance: 130_000_000n, long: 250n }

/** What is too much once the last of these is promised. */
function overdrafts(...outstanding: Acceptance[]): string[] {
  const promised = outstanding.at(-1) as Acceptance
  return overdraftsBy(promised, outstanding, HAS)
}

test('a wallet promises too much where all of it is more money, or more options of a series, than it has', () => {
  expect(overdrafts(selling(0n))).toEqual([])
  expect(overdrafts(selling(0n), selling(0n))).toEqual(['0xada'])
  expect(overdrafts(selling(200n), selling(50n))).toEqual([])
  expect(overdrafts(selling(200n), selling(51n))).toEqual(['0xada of 7'])
  expect(overdrafts(selling(200n), selling(200n, '8'))).toEqual([])
})

test('an order that takes money alone does not overdraw options, even after two requests for them', () => {
  expect(overdrafts(selling(200n), selling(200n), selling(0n))).toEqual(['0xada'])
  expect(
    overdraftsBy(selling(0n), [selling(200n), selling(200n), selling(0n)], { ...HAS, balance: 330_000_000n }),
  ).toEqual([])
})

test('an order that needs money finds it although the taker of another fills by money', () => {
  expect(overdrafts(selling(200n), selling(0n))).toEqual(['0xada'])
  expect(overdrafts(selling(0n), selling(200n))).toEqual(['0xada'])
  expect(overdraftsBy(selling(0n), [selling(200n), selling(0n)], { ...HAS, balance: 220_000_000n })).toEqual([])
})
