import { encodeAbiParameters, encodeDeployData, getContractAddress, type Hex } from 'viem'
import { readArtifact } from '../../../src/onchain/deploy/artifact.ts'
import { coreSetup } from '../../../src/onchain/deploy/blueprint.ts'
import type { Deployment } from '../../../src/onchain/deploy/inspect.ts'
import { createDevAccounts, type DevAccounts } from '../../../src/onchain/devnet/accounts.ts'
import { startAnvil } from '../../../src/onchain/devnet/anvil.ts'
import { createDevClient, type DevClient } from '../../../src/onchain/devnet/client.ts'
import { deployContracts } from '../../../src/onchain/devnet/deploy-contracts.ts'
import { registerSeries } from '../../../src/onchain/devnet/seed.ts'
import { sendAll } from '../../../src/onchain/devnet/send.ts'
import { readChainTime } from '../../../src/onchain/devnet/warp.ts'
import { serviceCoreAbi, serviceRfqSettlementAbi, testUsdAbi } from '../../../src/protocol/contracts/abi.ts'
import { type SeriesId, seriesIdOf, type VanillaTerms } from '../../../src/protocol/domain/series.ts'
import type { Address, StrikeBps } from '../../../src/protocol/domain/units.ts'
import { deployPublished, type PublishedName } from './bytecode.ts'
import type { SafeContracts } from './safe.ts'
import { deployUsdc } from './usdc.ts'
import { type Call, call, sendCalls } from './wallet.ts'

/** USDC is Circle's own code, whose permits may be a contract's; TestUSD is ours, whose permits are a key's alone. */
export type CoinName = 'USDC' | 'TestUSD'

/** A deployment with its coin and a series to trade. */
export type Market = {
  coin: CoinName
  deployment: Deployment
  terms: VanillaTerms
  seriesId: SeriesId
  /** The domain of the coin's signatures. */
  domain: { name: string; version: string; chainId: number; verifyingContract: Address }
}

/** An Anvil with the contracts of wallets as others published them, and a market of each coin. */
export type WalletWorld = {
  dev: DevClient
  rpcUrl: string
  accounts: DevAccounts
  markets: Readonly<Record<CoinName, Market>>
  safe: SafeContracts
  delegates: { simple: Address; metaMask: Address }
  implementations: { hybrid: Address; simple: Address; entryPoint: Address }
  /** Gives a wallet micro-dollars of a market's coin. */
  mint: (market: Market, to: Address, amount: bigint) => Promise<void>
  /** Makes calls of an account that Anvil has unlocked. */
  sendAs: (from: Address, calls: readonly Call[]) => Promise<void>
  stop: () => Promise<void>
}

/** Starts the world; it takes a second or two. */
export async function startWalletWorld(): Promise<WalletWorld> {
  const anvil = await startAnvil({ port: 0, statePath: null, outlives: false })
  const dev = createDevClient(anvil.rpcUrl)
  try {
    const accounts = createDevAccounts()
    const { deployer, faucet } = accounts
    const put = (name: PublishedName, args: readonly Hex[] = []) => deployPublished(dev, { name, from: deployer, args })
    const sendAs: WalletWorld['sendAs'] = (from, calls) => sendCalls(dev, from, calls)
    const testUsd = await deployContracts(dev, accounts)
    const usdc = await deployUsdcMarket(dev, accounts)
    const published = await putWallets(put)
    const markets = {
      TestUSD: await openMarket(
        dev,
        { coin: 'TestUSD', name: 'Test USD', version: '1', owner: deployer.address },
        testUsd,
      ),
      USDC: await openMarket(dev, { coin: 'USDC', name: 'USD Coin', version: '2', owner: deployer.address }, usdc),
    }
    return {
      dev,
      rpcUrl: anvil.rpcUrl,
      accounts,
      markets,
      ...published,
      sendAs,
      mint: ({ deployment }, to, amount) =>
        sendAs(faucet.address, [call(deployment.stablecoinAddress, testUsdAbi, 'mint', [to, amount])]),
      stop: () => anvil.stop(),
    }
  } catch (fault) {
    await anvil.stop()
    throw fault
  }
}

type Put = (name: PublishedName, args?: readonly Hex[]) => Promise<Address>

async function putWallets(put: Put): Promise<Pick<WalletWorld, 'safe' | 'delegates' | 'implementations'>> {
  await put('Permit2')
  await put('SCL_RIP7212')
  const entryPoint = await put('EntryPoint')
  const safe = {
    singleton: await put('Safe'),
    factory: await put('SafeProxyFactory'),
    handler: await put('CompatibilityFallbackHandler'),
    multiSend: await put('MultiSendCallOnly'),
  }
  // Whose delegations it would redeem does not matter here: no one makes any.
  const metaMaskArgs = [addressWord(entryPoint), addressWord(entryPoint)]
  return {
    safe,
    delegates: {
      simple: await put('Simple7702Account'),
      metaMask: await put('EIP7702StatelessDeleGator', metaMaskArgs),
    },
    implementations: {
      hybrid: await put('HybridDeleGator', metaMaskArgs),
      simple: await put('SimpleAccount', [addressWord(entryPoint)]),
      entryPoint,
    },
  }
}

const addressWord = (address: Address): Hex => encodeAbiParameters([{ type: 'address' }], [address])

/** Circle's coin, set up as it is on main networks, with a core and a settlement of its own. */
async function deployUsdcMarket(dev: DevClient, accounts: DevAccounts): Promise<Deployment> {
  const { deployer, faucet, resolutionSigner } = accounts
  const owner = deployer.address
  const stablecoinAddress = await deployUsdc(dev, { owner, minter: faucet.address })
  const nonce = BigInt(await dev.getTransactionCount({ address: owner }))
  const [coreAddress, settlementAddress] = [0n, 1n].map((more) =>
    getContractAddress({ from: owner, nonce: nonce + more }),
  )
  if (coreAddress === undefined || settlementAddress === undefined) throw new Error('two addresses were asked for')
  const roles = {
    owner,
    registrar: owner,
    guardian: owner,
    halter: null,
    resolutionSigner: resolutionSigner.address,
    tradingCutoff: 0,
    disputeWindow: 0,
    conditionalTokens: null,
    tokenUri: '',
  }
  const core = encodeDeployData({
    abi: serviceCoreAbi,
    bytecode: readArtifact('ServiceCore').bytecode,
    args: [coreSetup(roles, { stablecoin: stablecoinAddress, settlement: settlementAddress })],
  })
  const settlement = encodeDeployData({
    abi: serviceRfqSettlementAbi,
    bytecode: readArtifact('ServiceRFQSettlement').bytecode,
    args: [coreAddress],
  })
  await sendAll(dev, owner, [
    { does: 'the core', to: null, data: core, gas: 8_000_000n },
    { does: 'the settlement', to: null, data: settlement, gas: 8_000_000n },
  ])
  return { stablecoinAddress, coreAddress, settlementAddress }
}

async function openMarket(
  dev: DevClient,
  { coin, name, version, owner }: { coin: CoinName; name: string; version: string; owner: Address },
  deployment: Deployment,
): Promise<Market> {
  const terms: VanillaTerms = {
    conditionId: `0x${'11'.repeat(32)}`,
    yesTokenId: '123456789',
    optionType: 'call',
    strikeBps: 4_500 as StrikeBps,
    expiry: (await readChainTime(dev)) + 86_400,
  }
  await registerSeries(dev, { owner, coreAddress: deployment.coreAddress, series: [terms] })
  const domain = { name, version, chainId: await dev.getChainId(), verifyingContract: deployment.stablecoinAddress }
  return { coin, deployment, terms, seriesId: seriesIdOf(terms), domain }
}
