import type { Address } from '@rfqctl/protocol/domain/units'
import { addressIn } from '../context/address-in.ts'

export type CollateralOptions = { collateral?: string }

/** A core with a conditional-token contract checks that a new market's token is an outcome of its condition, in this collateral. */
export const collateralIn = ({ collateral }: CollateralOptions): Address | null =>
  collateral === undefined ? null : addressIn('--collateral', collateral)
