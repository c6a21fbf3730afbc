import { ERRORS } from '../domain/errors.ts'
import { CONTRACT_ERRORS, type ContractRefusal } from './errors.ts'

/** Results of `checkOrder` of the settlement contract, in the contract's numbering. */
export const ORDER_STATUSES = [
  'Fillable',
  'Expired',
  'AmountZero',
  'SelfTrade',
  'NonceUsed',
  'SeriesUnknown',
  'SeriesSettled',
  'SeriesExpired',
  'SeriesHalted',
  'AmountTooLarge',
  'PremiumAboveCollateral',
  'MakerBalanceLow',
  'MakerAllowanceLow',
  'SignatureInvalid',
  'TakerBalanceLow',
  'TakerAllowanceLow',
] as const

/** Name of one of these results. */
export type OrderStatus = (typeof ORDER_STATUSES)[number]

const MAKER_BACKED_OUT = 'The maker has moved its funds since it signed. Ask for new quotes and commit again.'

/** Reason that a fill of an order would fail, in the words of the error that it would revert with; null when it would not. */
export const ORDER_REFUSALS = {
  Fillable: null,
  Expired: CONTRACT_ERRORS.OrderExpired,
  AmountZero: CONTRACT_ERRORS.AmountZero,
  SelfTrade: CONTRACT_ERRORS.SelfTrade,
  NonceUsed: CONTRACT_ERRORS.NonceUsed,
  SeriesUnknown: CONTRACT_ERRORS.SeriesUnknown,
  SeriesSettled: CONTRACT_ERRORS.SeriesAlreadySettled,
  SeriesExpired: CONTRACT_ERRORS.TradingEnded,
  SeriesHalted: CONTRACT_ERRORS.SeriesHalted,
  AmountTooLarge: CONTRACT_ERRORS.ExposureAboveCap,
  PremiumAboveCollateral: CONTRACT_ERRORS.PremiumAboveCollateral,
  MakerBalanceLow: {
    code: 'maker_insufficient_balance',
    message: ERRORS.maker_insufficient_balance.message,
    hint: MAKER_BACKED_OUT,
  },
  MakerAllowanceLow: {
    code: 'maker_insufficient_allowance',
    message: ERRORS.maker_insufficient_allowance.message,
    hint: MAKER_BACKED_OUT,
  },
  SignatureInvalid: CONTRACT_ERRORS.SignatureInvalid,
  TakerBalanceLow: {
    code: 'taker_insufficient_balance',
    message: 'Your wallet does not hold enough stablecoin for this fill.',
    hint: 'Fund it before the order expires.',
  },
  TakerAllowanceLow: {
    code: 'taker_insufficient_allowance',
    message: 'Your wallet has not approved enough stablecoin for this fill.',
    hint: 'Approve what the fill takes, then fill.',
  },
} as const satisfies Record<OrderStatus, ContractRefusal | null>
