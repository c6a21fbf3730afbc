import { RfqError } from '../domain/errors.ts'
import type { Address } from '../domain/units.ts'
import type { Context } from './context.ts'

/** Refuses a wallet that is one of the contracts: no one signs or pays from there. */
export function assertWallet({ chain }: Pick<Context, 'chain'>, field: string, wallet: Address): void {
  const { settlementAddress, coreAddress, stablecoinAddress } = chain.environment
  if (![settlementAddress, coreAddress, stablecoinAddress].includes(wallet)) return
  throw new RfqError('invalid_request', { detail: `${field} must be a wallet, got the contract ${wallet}` })
}
