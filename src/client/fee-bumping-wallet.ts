import { type Clock, pause } from '@rfqctl/lib/clock'
import type { Address } from '@rfqctl/protocol/domain/units'
import { type Account, encodeFunctionData, type Hex, keccak256, type TransactionReceipt } from 'viem'
import { refusalOr } from './contract-refusal.ts'
import { TransactionRevertedError, TransactionUnminedError, WalletError } from './errors.ts'
import { type ConnectedSigner, signerOf } from './signer.ts'
import { type ChainSetup, createWallet, type Wallet } from './wallet.ts'

/** Repeats of a transaction until it is mined, with rising fees. */
export type FeeBumping = {
  /** Wait after each sending, milliseconds. */
  waitMs: number
  /** Most sendings. */
  sends: number
}

/** Some ten blocks of a busy chain; after five raises the fee is three times the first. */
const FEE_BUMPING: FeeBumping = { waitMs: 20_000, sends: 6 }

/** A transaction with its place among those of its account. */
type Numbered = Fees & { to: Hex; data: Hex; chainId: number; nonce: number; gas: bigint }

/** Cost limits of one transaction: gas, and wei per unit of it; `onSent` receives each hash that is sent. */
export type SendBounds = { maxGas: bigint; maxFeePerGas: bigint; onSent: (hash: Hex) => void }

type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/** Nodes take a replacement only with at least a tenth more of both fees. */
const RAISE_PERCENT = 25n

/** Transactions mined before it can make a call cost a little more gas than it would now. */
const GAS_MARGIN_PERCENT = 20n

/**
 * Wallet that sends its transactions until they are mined. One that is not mined is sent again with the same nonce and a higher fee, so
 * that it can never count twice; an owner who signs by hand is asked each time. It starts at the oldest nonce not mined, which also
 * replaces transactions that a former process left waiting: the account must not be used for anything else meanwhile. Rejects like
 * `write` of any wallet, and with `TransactionUnminedError` when none was mined. It never pays more than `bounds`, however long that
 * takes.
 */
export function createFeeBumpingWallet(input: {
  account: Account | Address | ConnectedSigner
  setup: ChainSetup
  clock: Clock
  feeBumping?: FeeBumping
  bounds?: SendBounds | null
}): Wallet {
  const { account, setup, clock, feeBumping = FEE_BUMPING, bounds = null } = input
  const signer = typeof account === 'object' && 'account' in account ? account : signerOf(account, setup)
  const wallet = createWallet({ account: signer, setup })
  const { publicClient, address } = wallet
  const gasBound = bounds === null ? {} : { gas: bounds.maxGas }
  let queue: Promise<unknown> = Promise.resolve()

  const within = ({ maxFeePerGas, maxPriorityFeePerGas }: Fees): Fees => {
    const most = lower(maxFeePerGas, bounds?.maxFeePerGas)
    return { maxFeePerGas: most, maxPriorityFeePerGas: lower(maxPriorityFeePerGas, most) }
  }

  const minedNonces = () => publicClient.getTransactionCount({ address, blockTag: 'latest' })

  async function sendUntilMined(
    call: { to: Hex; data: Hex },
    signal: AbortSignal | undefined,
  ): Promise<TransactionReceipt> {
    const [nonce, estimate, first] = await Promise.all([
      minedNonces(),
      publicClient.estimateGas({ account: address, blockTag: 'latest', ...call, ...gasBound }),
      publicClient.estimateFeesPerGas(),
    ])
    const gas = lower((estimate * (100n + GAS_MARGIN_PERCENT)) / 100n, bounds?.maxGas)
    const sent: Hex[] = []
    let fees = within(first)
    for (let send = 0; send < feeBumping.sends; send += 1) {
      signal?.throwIfAborted()
      const hash = await submit({ ...call, chainId: setup.chainId, nonce, gas, ...fees })
      if (hash !== null) sent.push(hash)
      if (hash !== null) bounds?.onSent(hash)
      const receipt = await mined(sent, { nonce, waitMs: hash === null ? 0 : feeBumping.waitMs, signal })
      if (receipt !== null) return receipt
      const raised = raise(fees, await publicClient.estimateFeesPerGas())
      // Nodes reject a raise below their minimum, so the transaction waits with its present fees.
      if (within(raised).maxFeePerGas === raised.maxFeePerGas) fees = raised
    }
    throw new TransactionUnminedError(sent)
  }

  /** The hash, once the node has taken the transaction; null when another with this nonce is in the way. Rejects with a refusal. */
  async function submit(transaction: Numbered): Promise<Hex | null> {
    const local = signer.account.type === 'local' ? signer.account : null
    const signed = local === null ? null : await local.signTransaction(transaction)
    try {
      if (signed === null) return await signer.sendTransaction(transaction)
      return await publicClient.sendRawTransaction({ serializedTransaction: signed })
    } catch (error) {
      if (error instanceof WalletError) throw error
      const hash = signed === null ? null : keccak256(signed)
      // After a lost answer the node may still have the transaction.
      if (hash !== null && (await isKnown(hash))) return hash
      if ((await publicClient.getTransactionCount({ address, blockTag: 'pending' })) > transaction.nonce) return null
      throw error
    }
  }

  const isKnown = (hash: Hex): Promise<boolean> =>
    publicClient.getTransaction({ hash }).then(
      () => true,
      () => false,
    )

  /** Receipt of the sending that was mined; null when none was in time. Rejects when another transaction took the nonce. */
  async function mined(
    sent: readonly Hex[],
    { nonce, waitMs, signal }: { nonce: number; waitMs: number; signal: AbortSignal | undefined },
  ): Promise<TransactionReceipt | null> {
    const deadline = clock.now() + waitMs
    for (let wasUsed = false; ; ) {
      const isUsed = (await minedNonces()) > nonce
      const receipt = await receiptOf(sent)
      if (receipt?.status === 'reverted') throw new TransactionRevertedError(receipt.transactionHash)
      if (receipt !== null) return receipt
      // A node can know of a nonce a moment before it has the receipt.
      if (wasUsed) throw new TransactionUnminedError(sent)
      if (!isUsed && clock.now() >= deadline) return null
      wasUsed = isUsed
      await pause(publicClient.pollingInterval, { clock, signal })
    }
  }

  async function receiptOf(sent: readonly Hex[]): Promise<TransactionReceipt | null> {
    const receipts = await Promise.all(
      sent.map((hash) => publicClient.getTransactionReceipt({ hash }).catch(() => null)),
    )
    return receipts.find((receipt) => receipt !== null) ?? null
  }

  const write: Wallet['write'] = async (call, signal) => {
    // viem infers both calls from one another's exact types, which are lost in a generic function.
    await publicClient.simulateContract({ ...call, account: signer.account, ...gasBound } as never).catch((fault) => {
      throw refusalOr(fault)
    })
    return sendUntilMined({ to: call.address, data: encodeFunctionData(call as never) }, signal)
  }

  return {
    ...wallet,
    write: (call, signal) => {
      const written = queue.then(() => write(call, signal))
      queue = written.catch(() => {})
      return written
    },
  }
}

const raise = (before: Fees, now: Fees): Fees => ({
  maxFeePerGas: higher(raised(before.maxFeePerGas), now.maxFeePerGas),
  maxPriorityFeePerGas: higher(raised(before.maxPriorityFeePerGas), now.maxPriorityFeePerGas),
})

const raised = (fee: bigint): bigint => (fee * (100n + RAISE_PERCENT)) / 100n + 1n

const lower = (a: bigint, b: bigint = a): bigint => (a < b ? a : b)

const higher = (a: bigint, b: bigint): bigint => (a > b ? a : b)
