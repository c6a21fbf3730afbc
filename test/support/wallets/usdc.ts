import { parseAbi } from 'viem'
import type { DevClient } from '../../../src/onchain/devnet/client.ts'
import type { Address } from '../../../src/protocol/domain/units.ts'
import { deployPublished } from './bytecode.ts'
import { call, sendCalls } from './wallet.ts'

/** What sets Circle's coin up, one step after the other. */
const SETUP_ABI = parseAbi([
  'function initialize(string name, string symbol, string currency, uint8 decimals, address masterMinter, address pauser, address blacklister, address owner)',
  'function initializeV2(string name)',
  'function initializeV2_1(address lostAndFound)',
  'function initializeV2_2(address[] accountsToBlacklist, string symbol)',
  'function configureMinter(address minter, uint256 allowance)',
])
const MOST = 2n ** 128n

/** Deploys Circle's own code, set up as it is on main networks; `owner` must be one that Anvil sends for. */
export async function deployUsdc(
  dev: DevClient,
  { owner, minter }: { owner: Address; minter: Address },
): Promise<Address> {
  const from = { address: owner }
  await deployPublished(dev, { name: 'SignatureChecker', from })
  const usdc = await deployPublished(dev, { name: 'FiatTokenV2_2', from })
  await sendCalls(dev, owner, [
    call(usdc, SETUP_ABI, 'initialize', ['USD Coin', 'USDC', 'USD', 6, owner, owner, owner, owner]),
    call(usdc, SETUP_ABI, 'initializeV2', ['USD Coin']),
    call(usdc, SETUP_ABI, 'initializeV2_1', [owner]),
    call(usdc, SETUP_ABI, 'initializeV2_2', [[], 'USDC']),
    call(usdc, SETUP_ABI, 'configureMinter', [minter, MOST]),
  ])
  return usdc
}
