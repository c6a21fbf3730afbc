import {
  type Abi,
  type Account,
  type ContractFunctionArgs,
  type ContractFunctionName,
  createPublicClient,
  createWalletClient,
  defineChain,
  type PublicClient,
  type TransactionReceipt,
  type Transport,
  type TypedDataDefinition,
} from 'viem'
import { parseAccount } from 'viem/utils'
import { serviceCoreAbi, testUsdAbi } from '../contracts/abi.ts'
import { type Address, type Hex, type Usd6, usd6 } from '../domain/units.ts'
import { unlessAborted } from './abort.ts'
import { refusalOr } from './contract-refusal.ts'
import { ClientSetupError, TransactionRevertedError } from './errors.ts'

/** Where trades are settled. The addresses are the caller's own: a relay is never asked whom to pay or approve. */
export type ChainSetup = {
  /** The id of the chain. */
  chainId: number
  /** The contract that orders are signed for and filled on. */
  settlementAddress: Address
  /** The contract that holds collateral and options. */
  coreAddress: Address
  /** How the chain is reached; without it orders can be checked and signed, but nothing read or sent. */
  transport?: Transport | undefined
  /** How often a mined receipt is looked for, milliseconds. */
  pollingIntervalMs?: number
}

/** The two contracts that draw from a wallet: premiums the settlement, collateral the core. */
export type Spender = 'settlement' | 'core'

/** A contract call that changes the chain. */
export type Write<abi extends Abi, name extends ContractFunctionName<abi, 'nonpayable'>> = {
  address: Address
  abi: abi
  functionName: name
  args: ContractFunctionArgs<abi, 'nonpayable', name>
}

/** An account on the chain, with the stablecoin in it. Amounts are micro-dollars. */
export type Wallet = {
  address: Address
  setup: ChainSetup
  publicClient: PublicClient
  stablecoin: () => Promise<Address>
  balance: () => Promise<Usd6>
  /** The chain's coin, which pays for gas, wei. */
  coinBalance: () => Promise<bigint>
  allowance: (spender: Spender) => Promise<Usd6>
  /** Approves `amount` where less is approved; null when nothing had to be done. */
  approve: (input: {
    spender: Spender
    amount: Usd6
    signal?: AbortSignal | undefined
  }) => Promise<TransactionReceipt | null>
  /** Approves nothing any more; null when nothing was approved. */
  revoke: (input: { spender: Spender; signal?: AbortSignal | undefined }) => Promise<TransactionReceipt | null>
  /** Signs EIP-712 typed data. */
  sign: (typedData: TypedDataDefinition) => Promise<Hex>
  /**
   * Tries a call, sends it and waits until it is mined. Rejects with `ContractRefusedError` when it would revert, and with
   * `TransactionRevertedError` when it was mined and did. An abort stops the waiting, not the transaction.
   */
  write: <const abi extends Abi, name extends ContractFunctionName<abi, 'nonpayable'>>(
    call: Write<abi, name>,
    signal?: AbortSignal,
  ) => Promise<TransactionReceipt>
}

/** Quick enough for a local chain, and little to ask of a public one while a receipt is awaited. */
const POLLING_INTERVAL_MS = 500

/** An approval of more than all the stablecoin there can be, for wallets that trade often. */
export const UNLIMITED = usd6(2n ** 256n - 1n)

/**
 * The wallet of `account` (a local key, or the address of one that the transport signs for). Throws `ClientSetupError`
 * where the setup has no transport.
 */
export function createWallet({ account, setup }: { account: Account | Address; setup: ChainSetup }): Wallet {
  const { transport, chainId, coreAddress, pollingIntervalMs = POLLING_INTERVAL_MS } = setup
  if (transport === undefined) throw new ClientSetupError('The chain was set up without a transport.')
  const owner = parseAccount(account)
  const chain = defineChain({
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [] } },
  })
  const publicClient = createPublicClient({ chain, transport, pollingInterval: pollingIntervalMs }) as PublicClient
  const walletClient = createWalletClient({ account: owner, chain, transport })
  let stablecoin: Promise<Address> | null = null

  /** Read once: the core's stablecoin never changes. A failed read is tried again. */
  function stablecoinAddress(): Promise<Address> {
    stablecoin ??= publicClient
      .readContract({ address: coreAddress, abi: serviceCoreAbi, functionName: 'stablecoin' })
      .catch((error: unknown) => {
        stablecoin = null
        throw error
      })
    return stablecoin
  }

  const addressOf = (spender: Spender): Address => (spender === 'core' ? coreAddress : setup.settlementAddress)

  const write: Wallet['write'] = async (call, signal) => {
    signal?.throwIfAborted()
    // viem infers both calls from one another's exact types, which are lost in a generic function.
    const { request } = await publicClient.simulateContract({ ...call, account: owner } as never).catch((fault) => {
      throw refusalOr(fault)
    })
    signal?.throwIfAborted()
    const hash = await walletClient.writeContract(request as never)
    const receipt = await unlessAborted(publicClient.waitForTransactionReceipt({ hash }), signal)
    if (receipt.status === 'reverted') throw new TransactionRevertedError(hash)
    return receipt
  }

  async function allowance(spender: Spender): Promise<Usd6> {
    const args = [owner.address, addressOf(spender)] as const
    const address = await stablecoinAddress()
    return usd6(await publicClient.readContract({ address, abi: testUsdAbi, functionName: 'allowance', args }))
  }

  async function allow(spender: Spender, amount: Usd6, signal: AbortSignal | undefined): Promise<TransactionReceipt> {
    const args = [addressOf(spender), amount] as const
    return write({ address: await stablecoinAddress(), abi: testUsdAbi, functionName: 'approve', args }, signal)
  }

  return {
    address: owner.address,
    setup,
    publicClient,
    stablecoin: stablecoinAddress,
    balance: async () => {
      const address = await stablecoinAddress()
      const args = [owner.address] as const
      return usd6(await publicClient.readContract({ address, abi: testUsdAbi, functionName: 'balanceOf', args }))
    },
    coinBalance: () => publicClient.getBalance({ address: owner.address }),
    allowance,
    approve: async ({ spender, amount, signal }) =>
      (await allowance(spender)) >= amount ? null : allow(spender, amount, signal),
    revoke: async ({ spender, signal }) =>
      (await allowance(spender)) === 0n ? null : allow(spender, usd6(0n), signal),
    sign: (typedData) => walletClient.signTypedData(typedData),
    write,
  }
}
