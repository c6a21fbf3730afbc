import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import { concat, getContractAddress, type PublicClient, pad, toHex } from 'viem'

/** Well-known contract, the same on almost every chain, that creates what it is sent by CREATE2. */
export const PROXY: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

const PROXY_CODE: Hex =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3'

/** Without it no address would be the same on each chain, so that nothing is deployed. */
export const hasProxy = async (client: Pick<PublicClient, 'getCode'>): Promise<boolean> =>
  (await client.getCode({ address: PROXY })) === PROXY_CODE

const saltOf = (salt: number): Hex => pad(toHex(salt), { size: 32 })

/** Address at which the proxy creates a contract: it follows from salt and creation code alone. */
export const proxiedAddress = (salt: number, bytecode: Hex): Address =>
  getContractAddress({ opcode: 'CREATE2', from: PROXY, salt: saltOf(salt), bytecode })

/** Has the proxy create a contract. Where it exists already, that is refused. */
export const proxiedCall = (salt: number, bytecode: Hex): { to: Address; data: Hex } => ({
  to: PROXY,
  data: concat([saltOf(salt), bytecode]),
})
