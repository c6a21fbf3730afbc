import { unlessAborted } from '@rfqctl/lib/abort'
import { serviceCoreAbi, testUsdAbi } from '@rfqctl/protocol/contracts/abi'
import { type Address, type Hex, type Usd6, usd6 } from '@rfqctl/protocol/domain/units'
import type {
  Abi,
  Account,
  ContractFunctionArgs,
  ContractFunctionName,
  TransactionReceipt,
  Transport,
  TypedDataDefinition,
} from 'viem'
import { isAddressEqual } from 'viem/utils'
import { type ChainReader, createChainReader } from './chain-client.ts'
import { refusalOr } from './contract-refusal.ts'
import { ClientSetupError, TransactionRevertedError, TransactionUnminedError } from './errors.ts'
import { once } from './once.ts'
import { type ConnectedSigner, chainOf, signerOf } from './signer.ts'

/** Chain and contracts that settle trades. The addresses are the caller's own, never a relay's word. */
export type ChainSetup = {
  /** The chain that the node must serve. */
  chainId: number
  /** Contract that fills orders. */
  settlementAddress: Address
  /** The contract that holds collateral and options. */
  coreAddress: Address
  /**
   * When absent, that of the wallet client or injected wallet that signs. Without either, orders can be checked and signed,
   * but nothing can be read or sent.
   */
  transport?: Transport | undefined
  /** Milliseconds between two checks for a mined receipt. */
  pollingIntervalMs?: number
}

/** The settlement draws premiums from a wallet, the core collateral. */
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
  publicClient: ChainReader
  stablecoin: () => Promise<Address>
  balance: () => Promise<Usd6>
  /** The chain's coin, which pays for gas, wei. */
  coinBalance: () => Promise<bigint>
  allowance: (spender: Spender) => Promise<Usd6>
  /** Approves `amount` where less is approved; null when no transaction was needed. */
  approve: (input: {
    spender: Spender
    amount: Usd6
    signal?: AbortSignal | undefined
  }) => Promise<TransactionReceipt | null>
  /** Revokes the approval; null when nothing was approved. */
  revoke: (input: { spender: Spender; signal?: AbortSignal | undefined }) => Promise<TransactionReceipt | null>
  /** Signs EIP-712 typed data. */
  sign: (typedData: TypedDataDefinition) => Promise<Hex>
  /**
   * Tries a call, sends it and waits until it is mined. Rejects with `ContractRefusedError` when it would revert, with
   * `WalletError` when the wallet refuses, with `TransactionRevertedError` when it was mined and did, and with
   * `TransactionUnminedError` when its owner replaced it. An abort stops the waiting, not the transaction.
   */
  write: <const abi extends Abi, name extends ContractFunctionName<abi, 'nonpayable'>>(
    call: Write<abi, name>,
    signal?: AbortSignal,
  ) => Promise<TransactionReceipt>
}

const ordersOnly = (key: Address, owner: Address): string =>
  `${key} signs orders for ${owner} and nothing else: the call must be sent by ${owner}.`

/** Fast enough for a local chain, and a small load on a public one while a receipt is awaited. */
const POLLING_INTERVAL_MS = 500

/** An approval of more than all the stablecoin there can be, for wallets that trade often. */
export const UNLIMITED = usd6(2n ** 256n - 1n)

/**
 * Wallet of a signer, or, for a key that only signs orders, the wallet of its `owner`: reads are of the owner's wallet, and sends reject
 * with `ClientSetupError`. Throws it where neither the setup nor the signer has a transport.
 */
export function createWallet(input: {
  account: Account | Address | ConnectedSigner
  owner?: Address | undefined
  setup: ChainSetup
}): Wallet {
  const { account, owner, setup } = input
  const { chainId, coreAddress, pollingIntervalMs = POLLING_INTERVAL_MS } = setup
  const signer = typeof account === 'object' && 'account' in account ? account : signerOf(account, setup)
  const transport = setup.transport ?? signer.transport
  if (transport === undefined) throw new ClientSetupError('The chain was set up without a transport.')
  const address = owner ?? signer.address
  const chain = chainOf({ chainId })
  const publicClient = createChainReader({ chain, transport, pollingInterval: pollingIntervalMs })

  /** Read once: the core's stablecoin never changes. */
  const stablecoinAddress = once(() =>
    publicClient.readContract({ address: coreAddress, abi: serviceCoreAbi, functionName: 'stablecoin' }),
  )

  const contractOf = (spender: Spender): Address => (spender === 'core' ? coreAddress : setup.settlementAddress)

  const write: Wallet['write'] = async (call, signal) => {
    signal?.throwIfAborted()
    if (!isAddressEqual(address, signer.address)) throw new ClientSetupError(ordersOnly(signer.address, address))
    // viem infers both calls from one another's exact types, which are lost in a generic function.
    const { request } = await publicClient
      .simulateContract({ ...call, account: signer.account } as never)
      .catch((fault) => {
        throw refusalOr(fault)
      })
    signal?.throwIfAborted()
    const hash = await signer.writeContract(request)
    const receipt = await unlessAborted(minedReceipt(hash), signal)
    if (receipt.status === 'reverted') throw new TransactionRevertedError(hash)
    return receipt
  }

  /** Receipt of a transaction, or of its repeat at a higher fee: the owner of a wallet may also have replaced it. */
  async function minedReceipt(hash: Hex): Promise<TransactionReceipt> {
    let isReplaced = false
    const onReplaced = ({ reason }: { reason: string }) => {
      isReplaced = reason !== 'repriced'
    }
    const receipt = await publicClient.waitForTransactionReceipt({ hash, onReplaced })
    if (isReplaced) throw new TransactionUnminedError([hash])
    return receipt
  }

  async function allowance(spender: Spender): Promise<Usd6> {
    const args = [address, contractOf(spender)] as const
    const token = { address: await stablecoinAddress(), abi: testUsdAbi }
    return usd6(await publicClient.readContract({ ...token, functionName: 'allowance', args }))
  }

  async function allow(spender: Spender, amount: Usd6, signal: AbortSignal | undefined): Promise<TransactionReceipt> {
    const args = [contractOf(spender), amount] as const
    return write({ address: await stablecoinAddress(), abi: testUsdAbi, functionName: 'approve', args }, signal)
  }

  return {
    address,
    setup,
    publicClient,
    stablecoin: stablecoinAddress,
    balance: async () => {
      const token = { address: await stablecoinAddress(), abi: testUsdAbi }
      return usd6(await publicClient.readContract({ ...token, functionName: 'balanceOf', args: [address] }))
    },
    coinBalance: () => publicClient.getBalance({ address }),
    allowance,
    approve: async ({ spender, amount, signal }) =>
      (await allowance(spender)) >= amount ? null : allow(spender, amount, signal),
    revoke: async ({ spender, signal }) =>
      (await allowance(spender)) === 0n ? null : allow(spender, usd6(0n), signal),
    sign: signer.signTypedData,
    write,
  }
}
