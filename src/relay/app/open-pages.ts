import { createDevClient } from '@rfqctl/onchain/devnet/client'
import { createNodeCalls } from '@rfqctl/onchain/devnet/node-calls'
import { warpChain } from '@rfqctl/onchain/devnet/warp'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Settings } from '../config/settings.ts'
import type { Log } from '../core/ports/runtime.ts'
import type { WebPages } from '../server/pages/files.ts'
import type { SandboxChain } from '../server/pages/sandbox-chain.ts'
import type { ChainBackend } from './open-chain.ts'
import { readWebFiles } from './web-files.ts'

/** The sandbox's chain is served for the pages only, so both are null where the pages are off. */
export function openPages(
  { web }: Pick<Settings, 'web'>,
  backend: ChainBackend,
  log: Log,
): { web: WebPages | null; sandbox: SandboxChain | null } {
  const files = web.isServed ? readWebFiles() : null
  if (files === null) {
    if (web.isServed) log.warn('web_not_built', { reason: 'the pages are missing from this installation' })
    return { web: null, sandbox: null }
  }
  return { web: { files, relayerUrl: web.relayerUrl }, sandbox: sandboxOf(backend) }
}

/** A sandbox's chain is on this machine, where anyone can reach it anyway. */
function sandboxOf({ accounts, rpcUrl, chain }: ChainBackend): SandboxChain | null {
  if (accounts === null || rpcUrl === null) return null
  const client = createDevClient(rpcUrl)
  return {
    call: createNodeCalls(rpcUrl),
    warp: async (seconds) => {
      const time = await warpChain(client, seconds).catch((cause: unknown) => {
        throw new RfqError('chain_unavailable', { cause })
      })
      // Reads the new time at once, so that no answer after the warp uses an older one.
      await chain.time('latest')
      return time
    },
  }
}
