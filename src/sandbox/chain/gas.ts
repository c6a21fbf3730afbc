import { parseEther } from 'viem'
import type { Address } from '../../domain/units.ts'
import type { DevClient } from './client.ts'

/** What a wallet of the sandbox gets to pay for gas with, wei: thousands of fills. */
const GAS_MONEY = parseEther('10')
/** Below this a wallet gets it, wei. */
const LOW = parseEther('1')

/** Gives a wallet the coin of the embedded chain to pay for gas with, where it has little. */
export async function giveGasMoney(client: DevClient, wallet: Address): Promise<void> {
  if ((await client.getBalance({ address: wallet })) >= LOW) return
  await client.setBalance({ address: wallet, value: GAS_MONEY })
}
