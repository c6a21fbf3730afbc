import { plural } from '@rfqctl/lib/format'
import type { RunningApp } from '@rfqctl/relay/app/start-app'
import type { Cli } from '../cli.ts'
import { factLines } from '../terminal/table.ts'

/** Fields of the ready line (protocol start-2). */
export const readyFacts = ({ url, wsUrl, hasPages, backend }: RunningApp, dataDir: string) => {
  const { chainId, settlementAddress, coreAddress, stablecoinAddress } = backend.chain.environment
  return {
    type: 'ready',
    url,
    wsUrl,
    rpcUrl: backend.rpcUrl,
    chainId,
    settlementAddress,
    coreAddress,
    stablecoinAddress,
    resolutionSigner: backend.resolutionSigner?.address ?? null,
    dataDir,
    tradeUrl: hasPages ? `${url}/` : null,
    operateUrl: hasPages ? `${url}/desk` : null,
  }
}

/** An RPC URL may hold a key: only the sandbox's own is shown. */
export function readyLines(
  { url, wsUrl, hasPages, backend, sandbox }: RunningApp,
  dataDir: string,
  { out: { colors } }: Cli,
): string[] {
  const { mode, environment } = backend.chain
  const chain = mode === 'simulated' ? colors.red('none: simulated mode') : String(environment.chainId)
  const facts: [string, string][] = [
    ['relay', url],
    ['makers', `${wsUrl}/maker/v1/ws`],
    ...(hasPages
      ? ([
          ['trade', `${url}/`],
          ['operate', `${url}/desk`],
        ] as [string, string][])
      : []),
    ['chain', backend.devnet === null ? chain : `${chain} at ${backend.rpcUrl}`],
    ...(mode === 'simulated' ? [] : ([['settlement', environment.settlementAddress]] as [string, string][])),
    ['data', dataDir],
    ['wallets', `${plural(sandbox.makers.length, 'maker')}, ${plural(sandbox.takers.length, 'taker')}`],
  ]
  return [colors.bold('rfqctl is ready'), ...factLines(facts, colors).map((line) => `  ${line}`)]
}
