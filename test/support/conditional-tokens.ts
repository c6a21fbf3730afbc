import { type Address, concatHex, type Hex, pad, toFunctionSelector, toHex } from 'viem'
import type { DevClient } from '../../src/onchain/devnet/client.ts'

/**
 * A conditional-token contract that says of every condition that its first outcome has won. A collection has the id of its condition,
 * and a position the token that storage has for it. All other questions are answered by 1.
 */
const CODE = concatHex([
  '0x5f3560e01c8063',
  toFunctionSelector('getPositionId(address,bytes32)'),
  '0x1460205763',
  toFunctionSelector('getCollectionId(bytes32,bytes32,uint256)'),
  '0x14602b57',
  // Neither: 1.
  '0x60015f5260205ff3',
  // At 0x20: storage at the second argument.
  '0x5b602435545f5260205ff3',
  // At 0x2b: the second argument.
  '0x5b6024355f5260205ff3',
])

/** Puts it at an address, for markets by their condition. */
export async function putConditionalTokens(
  dev: Pick<DevClient, 'setCode' | 'setStorageAt'>,
  address: Address,
  markets: readonly { conditionId: Hex; yesTokenId: string }[],
): Promise<void> {
  await dev.setCode({ address, bytecode: CODE })
  for (const { conditionId, yesTokenId } of markets) {
    await dev.setStorageAt({ address, index: conditionId, value: pad(toHex(BigInt(yesTokenId))) })
  }
}
