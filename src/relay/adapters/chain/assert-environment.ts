import { inspect, type LinkFinding } from '@rfqctl/onchain/deploy/inspect'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { ChainEnvironment } from '../../core/ports/chain.ts'
import { describeFault, type NodeClient, type Rpc, revertName } from './rpc.ts'

/** The configured addresses and the chain do not belong together: the relay must not sign or quote on them. */
export class ChainMismatchError extends Error {
  override readonly name = 'ChainMismatchError'
}

/**
 * Throws a `ChainMismatchError` when the node serves another chain, when an address holds no code, or when the three
 * contracts do not name each other (fault E3); `chain_unavailable` when the node cannot be read.
 */
export async function assertEnvironment(rpc: Rpc, environment: ChainEnvironment): Promise<void> {
  const findings = await rpc.read((client) => inspect(client, environment))
  const absent = findings.flatMap((finding) =>
    finding.kind === 'code' && finding.state === 'absent' ? [`the ${finding.role} address ${finding.address}`] : [],
  )
  if (absent.length > 0) {
    throw new ChainMismatchError(`On chain ${environment.chainId} there is no contract at ${absent.join(' and ')}.`)
  }
  for (const finding of findings) {
    if (finding.kind === 'chain') throw new ChainMismatchError(`${finding.fault.replace('the', 'The')}.`)
    if (finding.kind === 'link') throw new ChainMismatchError(linkText(finding))
  }
}

function linkText({ of, to, at, expected, found }: LinkFinding): string {
  const text = found instanceof Error ? `unknown (${describeFault(found).message})` : found
  return `The ${to} of the ${of} ${at} is ${text}, not ${expected}.`
}

/**
 * Reads of a node that was checked before. After a fault another node may answer at its address, so the next read
 * checks it first, once for all that wait. A mismatch is then refused with `chain_unavailable` and its reason (fault
 * E3). `check` throws a `ChainMismatchError`.
 */
export function createCheckedRpc(rpc: Rpc, check: (once: Rpc) => Promise<void>): Rpc {
  let checking: Promise<void> | null = null
  let isChecked = true

  async function checkAgain(client: NodeClient): Promise<void> {
    // Each attempt of a read includes one attempt of its check: both are repeated together.
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
