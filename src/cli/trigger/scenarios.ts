import { allTimeout } from './all-timeout.ts'
import { badSignature, insolventAtCommit, lateConfirm, makerDeclines, makerTimeout } from './failing-makers.ts'
import { insolvent } from './insolvent.ts'
import { makerOffline } from './maker-offline.ts'
import { noPriceData } from './no-price-data.ts'
import { rpcDown } from './rpc-down.ts'
import type { Scenario } from './scenario.ts'
import type { ScenarioName } from './scenario-names.ts'

/** What can be made to happen, by name. */
export const SCENARIOS: Readonly<Record<ScenarioName, Scenario>> = {
  'maker-timeout': makerTimeout,
  'late-confirm': lateConfirm,
  'maker-declines': makerDeclines,
  'maker-offline': makerOffline,
  'all-timeout': allTimeout,
  'bad-signature': badSignature,
  insolvent,
  'insolvent-at-commit': insolventAtCommit,
  'no-price-data': noPriceData,
  'rpc-down': rpcDown,
}
