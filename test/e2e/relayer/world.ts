import { createWalletClient, http, maxUint256 } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { onTestFinished } from 'vitest'
import { createDevClient, type DevClient, devnetChain } from '../../../src/onchain/devnet/client.ts'
import { registerSeries } from '../../../src/onchain/devnet/seed.ts'
import { type Devnet, startDevnet } from '../../../src/onchain/devnet/start.ts'
import { serviceCoreAbi, serviceRfqSettlementAbi, testUsdAbi } from '../../../src/protocol/contracts/abi.ts'
import {
  ALLOWANCE_PAYMENT,
  contractFillAuthorization,
  contractPayment,
  fillAuthorizationTypedData,
  type GaslessFill,
  type Payment,
} from '../../../src/protocol/domain/gasless-fill.ts'
import {
  contractOrder,
  type Order,
  orderDigest,
  orderDomain,
  orderTypedData,
} from '../../../src/protocol/domain/order.ts'
import { type SeriesTerms, seriesIdOf } from '../../../src/protocol/domain/series.ts'
import { type Address, contracts, type Hex, type StrikeBps, usd6 } from '../../../src/protocol/domain/units.ts'
import { encodeGaslessFill } from '../../../src/protocol/wire/gasless-fill.ts'
import { createSystemClock } from '../../../src/relay/adapters/clock.ts'
import { createLog } from '../../../src/relay/adapters/log.ts'
import { type RunningRelayer, startRelayer } from '../../../src/relay/app/start-relayer.ts'
import type { RelayerSettings } from '../../../src/relay/relayer/ports.ts'

export const FEE = usd6(50_000n)
export const RECIPIENT: Address = '0x0101010101010101010101010101010101010101'
const GWEI = 10n ** 9n
const AMOUNT = 100n
export const PREMIUM = usd6(12_000_000n)

/** What a fill is to be, beyond a taker that buys by a permit for exactly the fee. */
export type FillTerms = {
  makerSelling?: boolean
  payment?: 'permit' | 'allowance'
  maxFee?: bigint
  feeRecipient?: Address
  validForS?: number
  /** In place of the signature of the taker's key, for a wallet that is a contract. */
  takerSignature?: Hex
  taker?: Address
  /** That of another order, in place of the next one. */
  nonce?: number
}

/** A chain with a series, and wallets to trade on it. */
export type World = {
  devnet: Devnet
  client: DevClient
  environment: { chainId: number; settlementAddress: Address; coreAddress: Address; stablecoinAddress: Address }
  maker: PrivateKeyAccount
  seriesId: string
  /** A wallet with stablecoin, and without any coin for gas. */
  openTaker: () => Promise<PrivateKeyAccount>
  mint: (to: Address, amount: bigint) => Promise<void>
  sign: (taker: PrivateKeyAccount, terms?: FillTerms) => Promise<GaslessFill>
  dollars: (wallet: Address) => Promise<bigint>
  options: (wallet: Address) => Promise<bigint>
  /** Sends a fill directly, as anyone may who has it, and returns the transaction; `fee` as the sender likes. */
  sendAs: (sender: PrivateKeyAccount, fill: GaslessFill, options?: { fee?: bigint; tip?: bigint }) => Promise<Hex>
  /** A new wallet with coin for gas. */
  openPayer: () => Promise<PrivateKeyAccount>
}

let nonces = 0

/** Starts the chain; it ends by `devnet.stop`. */
export async function openWorld(): Promise<World> {
  const devnet = await startDevnet({ dataDir: null, port: 0, seriesAt: () => [] })
  const client = createDevClient(devnet.rpcUrl)
  const { chainId, accounts, deployment, rpcUrl } = devnet
  const { settlementAddress, coreAddress, stablecoinAddress } = deployment
  const environment = { chainId, settlementAddress, coreAddress, stablecoinAddress }
  const series: SeriesTerms = {
    conditionId: `0x${'66'.repeat(32)}`,
    yesTokenId: '6',
    strikeBps: 5_000 as StrikeBps,
    expiry: Number((await client.getBlock()).timestamp) + 86_400,
    optionType: 'call',
  }
  await registerSeries(client, { owner: accounts.deployer.address, coreAddress, series: [series] })
  const seriesId = seriesIdOf(series)
  const maker = privateKeyToAccount((accounts.makers[0] as { privateKey: Hex }).privateKey)
  const token = { address: stablecoinAddress, abi: testUsdAbi } as const
  const domain = orderDomain(chainId, settlementAddress)
  const mined = async (hash: Hex) => void (await client.waitForTransactionReceipt({ hash }))

  const mint: World['mint'] = async (to, amount) =>
    mined(
      await client.writeContract({
        ...token,
        account: accounts.faucet.address,
        functionName: 'mint',
        args: [to, amount],
      }),
    )

  async function signPermit(
    taker: PrivateKeyAccount,
    spender: Address,
    value: bigint,
    deadline: number,
  ): Promise<Payment> {
    const [, name, version] = await client.readContract({ ...token, functionName: 'eip712Domain' })
    const nonce = await client.readContract({ ...token, functionName: 'nonces', args: [taker.address] })
    const fields = ['owner address', 'spender address', 'value uint256', 'nonce uint256', 'deadline uint256']
    const signature = await taker.signTypedData({
      domain: { name, version, chainId, verifyingContract: stablecoinAddress },
      types: {
        Permit: fields.map((field) => ({ name: field.split(' ')[0] as string, type: field.split(' ')[1] as string })),
      },
      primaryType: 'Permit',
      message: { owner: taker.address, spender, value, nonce, deadline: BigInt(deadline) },
    } as never)
    return { method: 'permit', value: usd6(value), nonce: 0n, deadline, signature }
  }

  const sign: World['sign'] = async (taker, terms = {}) => {
    const { makerSelling = true, maxFee = FEE, feeRecipient = RECIPIENT, validForS = 120 } = terms
    nonces += 1
    const deadline = Number((await client.getBlock()).timestamp) + validForS
    const order: Order = {
      maker: maker.address,
      seriesId,
      optionAmount: contracts(AMOUNT),
      premiumAmount: PREMIUM,
      makerSelling,
      taker: terms.taker ?? taker.address,
      validUntil: deadline,
      nonce: terms.nonce ?? nonces,
    }
    // A call at 0.50 pays at most 0.50.
    const due = makerSelling ? PREMIUM + maxFee : AMOUNT * 500_000n
    const spender = makerSelling ? settlementAddress : coreAddress
    const authorization = { orderHash: orderDigest(order, domain), maxFee: usd6(maxFee), feeRecipient, deadline }
    return {
      order,
      makerSignature: await maker.signTypedData(orderTypedData(order, domain)),
      payment: terms.payment === 'allowance' ? ALLOWANCE_PAYMENT : await signPermit(taker, spender, due, deadline),
      authorization,
      takerSignature:
        terms.takerSignature ?? (await taker.signTypedData(fillAuthorizationTypedData(authorization, domain))),
    }
  }

  return {
    devnet,
    client,
    environment,
    maker,
    seriesId,
    mint,
    sign,
    openTaker: async () => {
      const taker = privateKeyToAccount(generatePrivateKey())
      await mint(taker.address, 1_000_000_000n)
      return taker
    },
    openPayer: async () => {
      const payer = privateKeyToAccount(generatePrivateKey())
      await client.setBalance({ address: payer.address, value: 10n ** 18n })
      return payer
    },
    dollars: (wallet) => client.readContract({ ...token, functionName: 'balanceOf', args: [wallet] }),
    options: (wallet) =>
      client.readContract({
        address: coreAddress,
        abi: serviceCoreAbi,
        functionName: 'balanceOf',
        args: [wallet, BigInt(seriesId)],
      }),
    sendAs: (sender, fill, { fee = FEE, tip } = {}) =>
      createWalletClient({ account: sender, chain: devnetChain, transport: http(rpcUrl) }).writeContract({
        ...fillCall(settlementAddress, fill, fee),
        gas: 1_000_000n,
        ...(tip === undefined ? {} : { maxPriorityFeePerGas: tip, maxFeePerGas: tip + 100n * GWEI }),
      }),
  }
}

/** The call of the contract that fills an order for its taker. */
export const fillCall = (address: Address, fill: GaslessFill, fee: bigint) =>
  ({
    address,
    abi: serviceRfqSettlementAbi,
    functionName: 'fillFor',
    args: [
      contractOrder(fill.order),
      fill.makerSignature,
      contractPayment(fill.payment),
      contractFillAuthorization(fill.authorization),
      fill.takerSignature,
      fee,
    ],
  }) as const

/** A relayer that runs, and all that it has logged. */
export type LoggedRelayer = RunningRelayer & {
  account: PrivateKeyAccount
  log: () => string
  submit: (fill: GaslessFill) => Promise<{ status: number; body: Record<string, unknown> }>
  status: (fill: GaslessFill) => Promise<Record<string, unknown>>
}

/** Starts a relayer that ends with its test, with a wallet of its own unless it is given one. */
export async function openRelayer(
  world: World,
  { account, ...settings }: Partial<RelayerSettings> & { account?: PrivateKeyAccount } = {},
): Promise<LoggedRelayer> {
  const own = account ?? (await world.openPayer())
  const lines: string[] = []
  const { environment, devnet } = world
  const running = await startRelayer({
    account: own,
    rpcUrl: devnet.rpcUrl,
    environment,
    settings: {
      chainId: environment.chainId,
      settlementAddress: environment.settlementAddress,
      feeRecipient: RECIPIENT,
      fee: FEE,
      coinPrice: null,
      maxGas: 1_000_000n,
      maxGasPrice: 100n * GWEI,
      maxCoinPerDay: 10n ** 18n,
      maxFillsPerHour: 100,
      maxFillsPerClient: 100,
      maxQueue: 10,
      ...settings,
    },
    server: {
      software: '1.2.3',
      trustProxy: false,
      corsOrigins: '*',
      maxConnections: null,
      maxConnectionsPerAddress: null,
      keepAliveMs: 1_000,
      requestRate: { perS: 100, burst: 1_000 },
    },
    host: '127.0.0.1',
    port: 0,
    clock: createSystemClock(),
    log: createLog({ level: 'debug', out: { write: (line) => lines.push(line) } }),
  })
  onTestFinished(() => running.close())
  const call = async (method: string, path: string, body?: object) => {
    const init =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    const response = await fetch(`${running.url}${path}`, { method, ...init })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  return {
    ...running,
    account: own,
    log: () => lines.join(''),
    submit: (fill) => call('POST', '/v1/fills', encodeGaslessFill(fill)),
    status: async (fill) => (await call('GET', `/v1/fills/${fill.authorization.orderHash}`)).body,
  }
}

/** Approves all stablecoin of a wallet that is a contract, as its owner would have. */
export async function approveAs({ client, environment }: World, wallet: Address, spender: Address): Promise<void> {
  await client.impersonateAccount({ address: wallet })
  await client.setBalance({ address: wallet, value: 10n ** 18n })
  const hash = await client.writeContract({
    account: wallet,
    address: environment.stablecoinAddress,
    abi: testUsdAbi,
    functionName: 'approve',
    args: [spender, maxUint256],
  })
  await client.waitForTransactionReceipt({ hash })
}
