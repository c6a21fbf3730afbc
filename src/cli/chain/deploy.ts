import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { accountOf } from '@rfqctl/client/from-text'
import { CliError } from '@rfqctl/lib/cli-error'
import type { Blueprint } from '@rfqctl/onchain/deploy/blueprint'
import { type ChainClient, createChainClient } from '@rfqctl/onchain/deploy/chain-client'
import { CREATED, type Planned } from '@rfqctl/onchain/deploy/creation'
import { explorerInput, inputFileOf, readStandardInput } from '@rfqctl/onchain/deploy/explorer-input'
import { quorumAddress, type SignerQuorum } from '@rfqctl/onchain/deploy/quorum-signer'
import { createDevAccounts, type DevAccounts } from '@rfqctl/onchain/devnet/accounts'
import { createDevClient } from '@rfqctl/onchain/devnet/client'
import { fundWallets, registerSeries } from '@rfqctl/onchain/devnet/seed'
import { readChainTime } from '@rfqctl/onchain/devnet/warp'
import { fixtureSeries, readFixtureMarkets } from '@rfqctl/relay/adapters/markets/fixture-markets'
import { whyNotDevChain } from '@rfqctl/relay/app/dev-chain'
import { isLoopback } from '@rfqctl/relay/config/rules'
import type { Cli, Run } from '../cli.ts'
import { type ChainOptions, devRpcUrl, settingValues } from '../context/targets.ts'
import { type KeyOptions, readOwnKey } from '../wallet/own-key.ts'
import { blueprintOf, type RoleOptions } from './deployment/blueprint.ts'
import { deployBlueprint } from './deployment/deploy.ts'
import { environmentLines, settingsOf } from './deployment/report.ts'
import { assertPrivate, createQuorumSigner, quorumIn } from './quorum.ts'

type Options = ChainOptions &
  KeyOptions &
  RoleOptions & {
    chainId?: number
    again?: boolean
    dryRun?: boolean
    worthless?: boolean
    unsafe?: boolean
    standardJson?: string
    signers?: string
    threshold?: number
  }

/**
 * Deploys the contracts, or resumes where a previous run stopped. Prints settings for `serve`: with --json a settings
 * file, else lines for an environment. Without a key it deploys a sandbox from the accounts of a local Anvil, with
 * series and funds.
 */
export const deploy: Run<Options> = async (cli, options) => {
  const url = devRpcUrl(cli, options)
  const client = createChainClient(url)
  const whyNotDev = await whyNotDevChain(client, url)
  const chainId = await expectedChainId(cli, client, options.chainId)
  const key = (await readOwnKey(cli, options))?.privateKey ?? null
  if (key === null && whyNotDev !== null) throw needsKey(whyNotDev)
  const isDevChain = whyNotDev === null
  const devAccounts = isDevChain ? createDevAccounts() : null
  assertWorthless(options, { chainId, isDevChain })
  const account = accountOf(key ?? (devAccounts as DevAccounts).deployer.privateKey)
  const quorum = plannedQuorum(options, isDevChain)
  const roles = quorum === null ? options : { ...options, resolutionSigner: quorumAddress(quorum) }
  const blueprint = blueprintOf(roles, { chainId, deployer: account.address, devAccounts })
  const deployed = await deployBlueprint(cli, options, { client, account, blueprint, isDevChain })
  if (deployed === null) return
  // Its address is known before, so that it comes last: what the others are bound to is not disturbed.
  if (quorum !== null) await createQuorumSigner(cli, client, { account, quorum })
  const { deployment, startBlock } = deployed
  if (options.standardJson !== undefined) {
    writeExplorerInput(cli, { directory: options.standardJson, blueprint, deployment })
  }
  const isSandbox = key === null && devAccounts !== null && blueprint.stablecoin.kind === 'test'
  if (isSandbox && blueprint.registrar === account.address) await furnish(cli, { url, devAccounts, deployment })
  const settings = settingsOf({
    rpcUrl: isLoopback(new URL(url).hostname) ? url : null,
    chainId,
    startBlock,
    deployment,
    devAccounts: isSandbox && roles.resolutionSigner === undefined && options.minter === undefined ? devAccounts : null,
  })
  cli.out.print(settings, environmentLines(settings))
  cli.out.note(
    isSandbox
      ? 'Next: rfqctl chain deploy --json > rfqctl.config.json, then rfqctl serve'
      : nextOf(blueprint, quorum === null ? 'RESOLUTION_SIGNER_KEY' : 'RESOLUTION_SIGNER_SOCKET'),
  )
}

/** Only the test stablecoin has a faucet. */
const nextOf = ({ stablecoin }: Blueprint, signer: string): string =>
  stablecoin.kind === 'test'
    ? `Next: rfqctl serve with these settings, RPC_URL, ${signer} and FAUCET_PRIVATE_KEY`
    : `Next: rfqctl chain verify, then rfqctl serve with these settings, RPC_URL and ${signer}`

/** Null without `--signers`. */
function plannedQuorum(options: Options, isDevChain: boolean): SignerQuorum | null {
  const { signers, threshold } = options
  if (signers === undefined && threshold === undefined) return null
  if (signers === undefined || threshold === undefined) throw new CliError('--signers and --threshold go together')
  const quorum = quorumIn(signers.split(','), threshold)
  if (!isDevChain) assertPrivate(quorum, options)
  return quorum
}

/** Guards against a wrong node: a deployment meant for a test network must not cost real money. */
async function expectedChainId(cli: Cli, client: ChainClient, told: number | undefined): Promise<number> {
  const values = settingValues(cli)
  const expected = told ?? values.CHAIN_ID
  const found = await client.getChainId()
  if (found === expected) return found
  throw new CliError(`the node serves chain ${found}, not chain ${expected}`, {
    code: 'chain_mismatch',
    hint: `to deploy there, pass --chain-id ${found}`,
  })
}

/**
 * Networks whose coin is free: Polygon Amoy, Sepolia, Hoodi, Holesky, and those of Base, Arbitrum, Optimism and others.
 */
const TEST_CHAINS: ReadonlySet<number> = new Set([
  80_002, 11_155_111, 560_048, 17_000, 84_532, 421_614, 11_155_420, 59_141, 534_351, 43_113, 97, 10_200, 1_337, 31_337,
])

/** On a chain with real money, traders would take the test stablecoin for real dollars. */
function assertWorthless(
  { stablecoin, worthless = false }: Options,
  { chainId, isDevChain }: { chainId: number; isDevChain: boolean },
): void {
  if (isDevChain || worthless || stablecoin !== undefined || TEST_CHAINS.has(chainId)) return
  throw new CliError(`chain ${chainId} is not a known test network, and the test stablecoin is worthless`, {
    code: 'worthless_stablecoin',
    why: ['its minter can create any amount of it'],
    hint: 'pass --stablecoin 0x… for an existing one, or --worthless',
  })
}

const needsKey = (why: string): CliError =>
  new CliError('no deployer key given', {
    why: [`${why}, so there are no development accounts`],
    hint: 'pass --key-file PATH or --key-stdin',
  })

/** Milliseconds. A slow Anvil still answers, so that a deployment is not left without its market. */
const PATIENCE_MS = 60_000

async function furnish(
  cli: Cli,
  { url, devAccounts, deployment }: { url: string; devAccounts: DevAccounts; deployment: Planned },
): Promise<void> {
  const client = createDevClient(url, { timeoutMs: PATIENCE_MS })
  const series = fixtureSeries(readFixtureMarkets(), await readChainTime(client))
  await registerSeries(client, { owner: devAccounts.deployer.address, coreAddress: deployment.coreAddress, series })
  await fundWallets(client, devAccounts, deployment)
  cli.out.note(`${series.length} series registered, development accounts funded`)
}

/** Writes the inputs with which block explorers verify the source code. */
function writeExplorerInput(
  cli: Cli,
  { directory, blueprint, deployment }: { directory: string; blueprint: Blueprint; deployment: Planned },
): void {
  const path = resolve(cli.cwd, directory)
  const input = explorerInput(blueprint, deployment)
  mkdirSync(path, { recursive: true })
  for (const name of Object.values(CREATED)) writeFileSync(join(path, inputFileOf(name)), readStandardInput(name))
  writeFileSync(join(path, 'contracts.json'), `${JSON.stringify(input, null, 2)}\n`)
  cli.out.note(
    `wrote contracts.json and an input for each contract to ${path}: for an explorer, Solidity (Standard-JSON-Input), ${input.compilerVersion}`,
  )
}
