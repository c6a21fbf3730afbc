import type { TransactionReceipt } from 'viem'
import type { Address, Hex } from '../domain/units.ts'
import type { DevClient } from './client.ts'

/** A transaction to send; `to` is null for a deployment, `does` names it when it fails. */
export type DevCall = { to: Address | null; data: Hex; does: string }

/** Given instead of estimated, because a call may need the one before it to be mined. About twice what they take. */
const DEPLOYMENT_GAS = 8_000_000n
const CALL_GAS = 200_000n

/** Sends calls of one unlocked account in one batch, in order, and waits for all. Throws when one of them reverts. */
export async function sendAll(
  client: DevClient,
  from: Address,
  calls: readonly DevCall[],
): Promise<TransactionReceipt[]> {
  const first = await client.getTransactionCount({ address: from, blockTag: 'pending' })
  const hashes = await Promise.all(
    calls.map(({ to, data }, index) => {
      const gas = to === null ? DEPLOYMENT_GAS : CALL_GAS
      return client.sendTransaction({ account: from, chain: null, to, data, gas, nonce: first + index })
    }),
  )
  const receipts = await Promise.all(hashes.map((hash) => client.waitForTransactionReceipt({ hash })))
  const failed = receipts.findIndex(({ status }) => status === 'reverted')
  if (failed >= 0) throw new Error(`The transaction to ${calls[failed]?.does} reverted.`)
  return receipts
}
