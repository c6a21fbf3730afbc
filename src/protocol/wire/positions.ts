import type { Static } from 'typebox'
import * as Type from 'typebox'
import { usd6ToNumber } from '../domain/decimal.ts'
import type { ValuedPosition } from '../domain/position.ts'
import { type Address, usd6 } from '../domain/units.ts'
import { AnySeries, decodeSeriesFields, encodeSeriesFields } from './discovery.ts'
import * as field from './field.ts'
import { decodeAddress, decodeAmount, decodeContracts, decodeUsd6, encodeAmount } from './fields.ts'
import { createReader } from './reader.ts'
import { AnyAddressText, Count, Dollars, described, nullable, successOf } from './schemas.ts'

export const PositionsQuery = Type.Object({ wallet: field.wallet })

/** The position of a wallet in a series; figures are null where no price is known. */
export const PositionFields = Type.Object({
  series: AnySeries,
  long: described(Count, 'Options held.', 833),
  short: described(Count, 'Options written.', 0),
  yesPrice: nullable(field.yesPrice),
  markUsd: nullable(described(Dollars, field.mark)),
  // A relay that has no surfaces calls this one `markUsd`.
  intrinsicUsd: Type.Optional(nullable(described(Dollars, field.intrinsic))),
  valueUsd: nullable(described(Dollars, 'Value of the position at the current price, in dollars.', 116.62)),
  maxLossUsd: nullable(
    described(
      Dollars,
      'The most that can still be lost, in dollars. Without a price, the collateral of a writer, and null for a holder.',
      116.62,
    ),
  ),
  claimableUsd: field.claimableUsd,
})

export const PositionsAnswer = successOf({
  wallet: described(AnyAddressText, field.wallet),
  count: field.count,
  positions: described(Type.Array(PositionFields), 'Positions of the wallet, soonest expiry first.'),
  claimableUsd: field.claimableUsd,
})

const readQuery = createReader(PositionsQuery, 'the query')
const readPositions = createReader(PositionsAnswer, 'the answer')

export const decodePositionsQuery = (query: unknown): Address => decodeAddress(readQuery(query).wallet, 'wallet')

export function encodePositions(wallet: Address, positions: readonly ValuedPosition[]): Static<typeof PositionsAnswer> {
  const claimable = positions.reduce((sum, position) => sum + position.claimable, 0n)
  return {
    success: true,
    wallet,
    count: positions.length,
    positions: positions.map(encodePosition),
    claimableUsd: usd6ToNumber(usd6(claimable)),
  }
}

export const decodePositions = (answer: unknown): ValuedPosition[] =>
  readPositions(answer).positions.map(decodePosition)

const encodePosition = (position: ValuedPosition): Static<typeof PositionFields> => ({
  series: encodeSeriesFields(position.series),
  long: Number(position.long),
  short: Number(position.short),
  yesPrice: position.price,
  markUsd: encodeAmount(position.mark),
  intrinsicUsd: encodeAmount(position.intrinsic),
  valueUsd: encodeAmount(position.value),
  maxLossUsd: encodeAmount(position.maxLoss),
  claimableUsd: usd6ToNumber(position.claimable),
})

const decodePosition = (fields: Static<typeof PositionFields>): ValuedPosition => ({
  series: decodeSeriesFields(fields.series),
  long: decodeContracts(fields.long),
  short: decodeContracts(fields.short),
  price: fields.yesPrice,
  mark: fields.intrinsicUsd === undefined ? null : decodeAmount(fields.markUsd, 'markUsd'),
  intrinsic: decodeAmount(fields.intrinsicUsd === undefined ? fields.markUsd : fields.intrinsicUsd, 'intrinsicUsd'),
  value: decodeAmount(fields.valueUsd, 'valueUsd'),
  maxLoss: decodeAmount(fields.maxLossUsd, 'maxLossUsd'),
  claimable: decodeUsd6(fields.claimableUsd, 'half-up', 'claimableUsd'),
})
