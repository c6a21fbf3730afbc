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

/**
 * The web pages and the chain of a sandbox for them, as far as there are any: where the pages are off, so is the way to the
 * node that is there for it.
 */
export function openPages({
  settings: { web },
  backend,
  log,
}: {
  settings: Pick<Settings, 'web'>
  backend: ChainBackend
  log: Log
}): { web: WebPages | null; sandbox: SandboxChain | null } {
  const files = web.isServed ? readWebFiles() : null
  if (files === null) {
    if (web.isServed) log.warn('web_not_built', { reason: 'the pages are missing from this installation' })
    return { web: null, sandbox: null }
  }
  return { web: { files, relayerUrl: web.relayerUrl }, sandbox: sandboxOf(backend) }
}

/** A chain whose contracts are those of a sandbox is one of this machine, which anyone here can reach anyhow. */
function sandboxOf({ accounts, rpcUrl, chain }: ChainBackend): SandboxChain | null {
  if (accounts === null || rpcUrl === null) return null
  const client = createDevClient(rpcUrl)
  return {
    call: createNodeCalls(rpcUrl),
    warp: async (seconds) => {
      const time = await warpChain(client, seconds).catch((cause: unknown) => {
        throw new RfqError('chain_unavailable', { cause })
      })
      // What the relay tells from here on is of the new time, not of one that it read a moment ago.
      await chain.time('latest')
      return time
    },
  }
}
