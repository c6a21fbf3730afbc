import type { Attack } from '../lab/attack.ts'
import { accountAttacks } from './accounts.ts'
import { chainAttacks } from './chain.ts'
import { channelAttacks } from './channels.ts'
import { httpAttacks } from './http.ts'
import { jsonAttacks } from './json.ts'
import { makerSocketAttacks } from './maker-socket.ts'
import { storeAttacks } from './store.ts'
import { tradingAttacks } from './trading.ts'
import { walletAttacks } from './wallets.ts'

/** Every attack that any relay must stand. */
export const ATTACKS: readonly Attack[] = [
  ...httpAttacks,
  ...jsonAttacks,
  ...channelAttacks,
  ...makerSocketAttacks,
  ...tradingAttacks,
  ...accountAttacks,
  ...chainAttacks,
  ...walletAttacks,
  ...storeAttacks,
]
