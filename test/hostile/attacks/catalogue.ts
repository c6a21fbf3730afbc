import type { Attack } from '../lab/attack.ts'
import { accountAttacks } from './accounts.ts'
import { chainAttacks } from './chain.ts'
import { channelAttacks } from './channels.ts'
import { frameAttacks } from './frames.ts'
import { httpAttacks } from './http.ts'
import { jsonAttacks } from './json.ts'
import { makerSocketAttacks } from './maker-socket.ts'
import { storeAttacks } from './store.ts'
import { tradingAttacks } from './trading.ts'
import { walletAttacks } from './wallets.ts'

/** Those that the soak makes: all, or those with this in their sentence. */
const CHOSEN = process.env.RFQCTL_HOSTILE_ATTACKS ?? ''

export const ATTACKS: readonly Attack[] = [
  ...httpAttacks,
  ...jsonAttacks,
  ...channelAttacks,
  ...frameAttacks,
  ...makerSocketAttacks,
  ...tradingAttacks,
  ...accountAttacks,
  ...chainAttacks,
  ...walletAttacks,
  ...storeAttacks,
]

/** The attacks of the soak, which has a chain. */
export const SOAKED = ATTACKS.filter(({ holds, needs }) => needs !== 'no chain' && holds.includes(CHOSEN))
