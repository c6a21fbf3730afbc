import { readFixtureMarkets } from '../../adapters/markets/fixture-markets.ts'
import { fixtureSeries } from '../../adapters/markets/fixture-series.ts'
import { createDevAccounts } from '../../devnet/accounts.ts'
import { checkDeployment } from '../../devnet/check-deployment.ts'
import { createDevClient, type DevClient } from '../../devnet/client.ts'
import { deployContracts, deploymentOf } from '../../devnet/deploy.ts'
import { fundWallets, registerSeries } from '../../devnet/seed.ts'
import { readChainTime } from '../../devnet/warp.ts'
import type { Run } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import { assertDevChain } from '../dev-chain.ts'
import { EXIT } from '../exit.ts'
import { factLines } from '../table.ts'
import { type ChainOptions, devRpcUrl } from '../where.ts'

/** Deploys the contracts, registers the series and funds the wallets; the JSON is a settings file for `serve`. */
export const run: Run<ChainOptions> = async (cli, options) => {
  const url = devRpcUrl(cli, options)
  const client = createDevClient(url)
  await assertDevChain(client, url)
  const accounts = createDevAccounts()
  const deployment = await deployOnce(client)
  const series = fixtureSeries(readFixtureMarkets(), await readChainTime(client))
  const { coreAddress, settlementAddress, stablecoinAddress } = deployment
  await registerSeries(client, { owner: accounts.deployer.address, coreAddress, series })
  await fundWallets(client, accounts, deployment)
  const settings = {
    RPC_URL: url,
    SETTLEMENT_ADDRESS: settlementAddress,
    CORE_ADDRESS: coreAddress,
    STABLECOIN_ADDRESS: stablecoinAddress,
    RESOLUTION_SIGNER_KEY: accounts.resolutionSigner.privateKey,
    FAUCET_PRIVATE_KEY: accounts.faucet.privateKey,
  }
  cli.out.print(
    settings,
    factLines(
      [
        ['settlement', settlementAddress],
        ['core', coreAddress],
        ['stablecoin', stablecoinAddress],
        ['series', `${series.length} registered`],
      ],
      cli.out.paint,
    ),
  )
  cli.out.note('Next: rfqctl chain deploy --json > rfqctl.config.json, then rfqctl serve')
}

/** Deploys, unless the contracts are there already. */
async function deployOnce(client: DevClient): Promise<ReturnType<typeof deploymentOf>> {
  const accounts = createDevAccounts()
  const { address } = accounts.deployer
  const sent = await client.getTransactionCount({ address })
  if (sent === 0) return deployContracts(client, accounts)
  const deployment = deploymentOf(address)
  if ((await checkDeployment(client, deployment)).length === 0) return deployment
  throw new CliError('this chain is not fresh', {
    code: 'not_fresh',
    exitCode: EXIT.chain,
    why: [`its deployer ${address} has sent ${sent} transactions, and the contracts are not where its first ones go`],
    hint: 'rfqctl chain start',
  })
}
