import { createWalletClient, http } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { onTestFinished } from 'vitest'
import { devnetChain } from '../../../src/onchain/devnet/client.ts'
import { type Devnet, startDevnet } from '../../../src/onchain/devnet/start.ts'
import { serviceRfqSettlementAbi, testUsdAbi } from '../../../src/protocol/contracts/abi.ts'
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
import { type PartnerFee, partnerShare } from '../../../src/protocol/domain/partner-fee.ts'
import { seriesIdOf, type VanillaTerms } from '../../../src/protocol/domain/series.ts'
import { type Address, contracts, type Hex, type StrikeBps, usd6 } from '../../../src/protocol/domain/units.ts'
import { encodeGaslessFill } from '../../../src/protocol/wire/gasless-fill.ts'
import { createSystemClock } from '../../../src/relay/adapters/clock.ts'
import { createLog } from '../../../src/relay/adapters/log.ts'
import { type RunningRelayer, startRelayer } from '../../../src/relay/app/start-relayer.ts'
import type { RelayerSettings } from '../../../src/relay/relayer/ports.ts'
import { openChain, type TestChain } from '../../kit/chain.ts'
import { call } from '../../kit/http.ts'
import { newWallet } from '../../kit/service.ts'
import { PERMIT } from '../../support/wallets/payments.ts'

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
  partnerFee?: PartnerFee | null
  /** In place of the signature of the taker's key, for a wallet that is a contract. */
  takerSignature?: Hex
  taker?: Address
  /** That of another order, in place of the next one. */
  nonce?: number
}

/** A chain with a series, and wallets to trade on it. */
export type World = TestChain & {
  devnet: Devnet
  environment: { chainId: number; settlementAddress: Address; coreAddress: Address; stablecoinAddress: Address }
  maker: PrivateKeyAccount
  seriesId: string
  /** A wallet with stablecoin, and without any coin for gas. */
  openTaker: () => Promise<PrivateKeyAccount>
  sign: (taker: PrivateKeyAccount, terms?: FillTerms) => Promise<GaslessFill>
  /** Sends a fill directly, as anyone may who has it, and returns the transaction; `fee` as the sender likes. */
  sendAs: (sender: PrivateKeyAccount, fill: GaslessFill, options?: { fee?: bigint; tip?: bigint }) => Promise<Hex>
  openPayer: () => Promise<PrivateKeyAccount>
}

let nonces = 0

/** Starts the chain; it ends by `devnet.stop`. */
export async function openWorld(): Promise<World> {
  const devnet = await startDevnet({ dataDir: null, port: 0, seriesAt: () => [] })
  const { chainId, accounts, deployment, rpcUrl } = devnet
  const chain = openChain({ rpcUrl, ...deployment })
  const { client, mint } = chain
  const { settlementAddress, coreAddress, stablecoinAddress } = deployment
  const environment = { chainId, settlementAddress, coreAddress, stablecoinAddress }
  const series: VanillaTerms = {
    conditionId: `0x${'66'.repeat(32)}`,
    yesTokenId: '6',
    strikeBps: 5_000 as StrikeBps,
    expiry: (await chain.now()) + 86_400,
    optionType: 'call',
  }
  await chain.register(series)
  const seriesId = seriesIdOf(series)
  const maker = privateKeyToAccount((accounts.makers[0] as { privateKey: Hex }).privateKey)
  const token = { address: stablecoinAddress, abi: testUsdAbi } as const
  const domain = orderDomain(chainId, settlementAddress)

  async function signPermit(
    taker: PrivateKeyAccount,
    spender: Address,
    value: bigint,
    deadline: number,
  ): Promise<Payment> {
    const [, name, version] = await client.readContract({ ...token, functionName: 'eip712Domain' })
    const nonce = await client.readContract({ ...token, functionName: 'nonces', args: [taker.address] })
    const signature = await taker.signTypedData({
      domain: { name, version, chainId, verifyingContract: stablecoinAddress },
      types: PERMIT,
      primaryType: 'Permit',
      message: { owner: taker.address, spender, value, nonce, deadline: BigInt(deadline) },
    })
    return { method: 'permit', value: usd6(value), nonce: 0n, deadline, signature }
  }

  const sign: World['sign'] = async (taker, terms = {}) => {
    const { makerSelling = true, maxFee = FEE, feeRecipient = RECIPIENT, validForS = 120, partnerFee = null } = terms
    nonces += 1
    const deadline = (await chain.now()) + validForS
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
    const due = makerSelling ? PREMIUM + maxFee + partnerShare(PREMIUM, partnerFee) : AMOUNT * 500_000n
    const spender = makerSelling ? settlementAddress : coreAddress
    const orderHash = orderDigest(order, domain)
    const authorization = { orderHash, maxFee: usd6(maxFee), feeRecipient, deadline, partnerFee }
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
    ...chain,
    devnet,
    environment,
    maker,
    seriesId,
    sign,
    openTaker: async () => {
      const taker = newWallet()
      await mint(taker.address, 1_000_000_000n)
      return taker
    },
    openPayer: async () => {
      const payer = newWallet()
      await chain.giveGas(payer.address)
      return payer
    },
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
  return {
    ...running,
    account: own,
    log: () => lines.join(''),
    submit: (fill) => call('POST', `${running.url}/v1/fills`, { body: encodeGaslessFill(fill) }),
    status: async (fill) => (await call('GET', `${running.url}/v1/fills/${fill.authorization.orderHash}`)).body,
  }
}
