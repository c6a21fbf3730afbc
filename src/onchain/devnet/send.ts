import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import type { TransactionReceipt } from 'viem'
import type { DevClient } from './client.ts'

/** `to` is null for a creation; `does` names the call when it fails; `gas` is a limit of its own. */
export type DevCall = { to: Address | null; data: Hex; does: string; gas?: bigint }

/** Fixed instead of estimated, because a call may need the one before it to be mined. About twice the gas used. */
const CALL_GAS = 200_000n

/** A batch takes milliseconds; only on a stalled machine does it take seconds. */
const TIMEOUT_MS = 60_000

/**
 * Sends calls of one unlocked account in order and waits for all. Throws when one of them reverts. They are not sent at
 * once: while it mines, Anvil loses transactions that reach it before their predecessor.
 */
export async function sendAll(
  client: DevClient,
  from: Address,
  calls: readonly DevCall[],
): Promise<TransactionReceipt[]> {
  let nonce = await client.getTransactionCount({ address: from, blockTag: 'pending' })
  const hashes: Hex[] = []
  for (const { to, data, gas = CALL_GAS } of calls) {
    hashes.push(await client.sendTransaction({ account: from, chain: null, to, data, gas, nonce }))
    nonce += 1
  }
  const receipts = await Promise.all(
    hashes.map((hash) => client.waitForTransactionReceipt({ hash, timeout: TIMEOUT_MS })),
  )
  const failed = receipts.findIndex(({ status }) => status === 'reverted')
  if (failed >= 0) throw new Error(`The transaction to ${calls[failed]?.does} reverted.`)
  return receipts
}
