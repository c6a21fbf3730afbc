import { RfqError } from '../../domain/errors.ts'
import { ChainMismatchError } from './assert-environment.ts'
import { type NodeClient, type Rpc, revertName } from './rpc.ts'

/**
 * Reads of a node that has been checked. After a fault another node may stand in its place, so the next read checks it
 * first, once for all that wait; what then does not belong together is refused with `chain_unavailable` and its reason
 * (fault E3). `check` throws a `ChainMismatchError`.
 */
export function createCheckedRpc(rpc: Rpc, check: (once: Rpc) => Promise<void>): Rpc {
  let checking: Promise<void> | null = null
  let isChecked = true

  async function checkAgain(client: NodeClient): Promise<void> {
    // Each attempt of a read is one attempt of its check: those are repeated together.
    checking ??= check({ client, read: (load) => load(client) }).finally(() => {
      checking = null
    })
    try {
      await checking
      isChecked = true
    } catch (fault) {
      throw fault instanceof ChainMismatchError
        ? new RfqError('chain_unavailable', { detail: fault.message, cause: fault })
        : fault
    }
  }

  return {
    client: rpc.client,
    read: (load) =>
      rpc.read(async (client) => {
        if (!isChecked) await checkAgain(client)
        try {
          return await load(client)
        } catch (fault) {
          if (!(fault instanceof RfqError) && revertName(fault) === null) isChecked = false
          throw fault
        }
      }),
  }
}
