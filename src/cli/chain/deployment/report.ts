import type { BuildNews } from '@rfqctl/onchain/deploy/build'
import type { Deployment } from '@rfqctl/onchain/deploy/inspect'
import type { Work } from '@rfqctl/onchain/deploy/plan'
import type { DevAccounts } from '@rfqctl/onchain/devnet/accounts'

export const WORK_TEXT: Readonly<Record<Work, string>> = {
  stablecoin: 'create the test stablecoin',
  factory: 'create the factory of this deployer',
  pair: 'create core and settlement contract',
}

export const newsLine = (news: BuildNews): string =>
  news.kind === 'sent'
    ? `${WORK_TEXT[news.work]}: sent ${news.hash}`
    : `${WORK_TEXT[news.work]}: done, at ${news.addresses.join(' and ')} (${news.gasUsed} gas)`

/** Settings that `serve` needs. An RPC URL may hold a key: only a local one is printed. */
export function settingsOf(deployed: {
  rpcUrl: string | null
  chainId: number
  startBlock: number
  deployment: Deployment
  devAccounts: DevAccounts | null
}): Record<string, string | number> {
  const { rpcUrl, chainId, startBlock, deployment, devAccounts } = deployed
  return {
    ...(rpcUrl === null ? {} : { RPC_URL: rpcUrl }),
    CHAIN_ID: chainId,
    START_BLOCK: startBlock,
    SETTLEMENT_ADDRESS: deployment.settlementAddress,
    CORE_ADDRESS: deployment.coreAddress,
    STABLECOIN_ADDRESS: deployment.stablecoinAddress,
    ...(devAccounts === null
      ? {}
      : {
          RESOLUTION_SIGNER_KEY: devAccounts.resolutionSigner.privateKey,
          FAUCET_PRIVATE_KEY: devAccounts.faucet.privateKey,
        }),
  }
}

export const environmentLines = (settings: Readonly<Record<string, string | number>>): string[] =>
  Object.entries(settings).map(([name, value]) => `${name}=${value}`)
