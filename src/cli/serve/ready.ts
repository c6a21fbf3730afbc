import type { House } from '../../app/open-house.ts'
import type { Cli } from '../cli.ts'
import { plural } from '../terminal/format.ts'
import { factLines } from '../terminal/table.ts'

/** The ready line (protocol start-2). */
export const readyFacts = ({ url, wsUrl, ground }: House, dataDir: string) => {
  const { chainId, settlementAddress, coreAddress, stablecoinAddress } = ground.chain.environment
  return {
    type: 'ready',
    url,
    wsUrl,
    rpcUrl: ground.rpcUrl,
    chainId,
    settlementAddress,
    coreAddress,
    stablecoinAddress,
    resolutionSigner: ground.resolutionSigner?.address ?? null,
    dataDir,
  }
}

/** What people need to go on. An RPC URL may hold a key: only that of our own chain is shown. */
export function readyLines({ url, wsUrl, ground, sandbox }: House, dataDir: string, { out: { paint } }: Cli): string[] {
  const { mode, environment } = ground.chain
  const chain = mode === 'simulated' ? paint.red('none: simulated mode') : String(environment.chainId)
  const facts: [string, string][] = [
    ['relay', url],
    ['makers', `${wsUrl}/maker/v1/ws`],
    ['chain', ground.devnet === null ? chain : `${chain} at ${ground.rpcUrl}`],
    ...(mode === 'simulated' ? [] : ([['settlement', environment.settlementAddress]] as [string, string][])),
    ['data', dataDir],
    ['wallets', `${plural(sandbox.makers.length, 'maker')}, ${plural(sandbox.takers.length, 'taker')}`],
  ]
  return [paint.bold('rfqctl is ready'), ...factLines(facts, paint).map((line) => `  ${line}`)]
}
