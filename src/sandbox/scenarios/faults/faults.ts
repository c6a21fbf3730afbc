import { noPriceData, rpcDown } from './chain.ts'
import { insolvent, insolventAtCommit } from './insolvency.ts'
import { makerDefunds } from './maker-defunds.ts'
import { makerDies } from './maker-dies.ts'
import { allTimeout, badSignature, lateConfirm, makerDeclines, makerOffline, makerTimeout } from './unsigned-orders.ts'

export const FAULTS = {
  'maker-timeout': makerTimeout,
  'late-confirm': lateConfirm,
  'maker-declines': makerDeclines,
  'maker-offline': makerOffline,
  'maker-dies': makerDies,
  'maker-defunds': makerDefunds,
  'all-timeout': allTimeout,
  'bad-signature': badSignature,
  insolvent,
  'insolvent-at-commit': insolventAtCommit,
  'no-price-data': noPriceData,
  'rpc-down': rpcDown,
}

export type FaultName = keyof typeof FAULTS
