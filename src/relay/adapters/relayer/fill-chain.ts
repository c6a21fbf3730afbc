import { setTimeout as delay } from 'node:timers/promises'
import { contractRefusal } from '@rfqctl/client/contract-refusal'
import { TransactionRevertedError, TransactionUnminedError } from '@rfqctl/client/errors'
import { createFeeBumpingWallet, type FeeBumping } from '@rfqctl/client/fee-bumping-wallet'
import { systemClock } from '@rfqctl/lib/clock'
import { type Backoff, withRetry } from '@rfqctl/lib/retry'
import { serviceRfqSettlementAbi } from '@rfqctl/protocol/contracts/abi'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { contractFillAuthorization, contractPayment } from '@rfqctl/protocol/domain/gasless-fill'
import { contractOrder } from '@rfqctl/protocol/domain/order'
import { BaseError, createPublicClient, getAbiItem, type Hex, http, type LocalAccount, type Transport } from 'viem'
import type { ChainEnvironment } from '../../core/ports/chain.ts'
import type { Clock } from '../../core/ports/runtime.ts'
import type { ChargedFill, FillChain, Purse, RelayerSettings, SentFill } from '../../relayer/ports.ts'
import { createLimiter, type Limits } from '../chain/limiter.ts'
import { describeFault, fetchWithin, isTransportFault, withShortErrors } from '../chain/rpc.ts'

/** Milliseconds for one call to the node. */
const TIMEOUT_MS = 5_000

/** A sent transaction is followed through short outages of its node. */
const RETRIES = 4
const BACKOFF: Backoff = { firstMs: 250, mostMs: 2_000 }

/** Trials at a time and waiting: anyone may ask for one, and each runs code of strangers. */
const TRIALS: Limits = { atWork: 8, waiting: 64, waitMs: 4_000 }

/** Maximum age of the purse and of the time, milliseconds: each query and each submission needs them. */
const PURSE_MS = 3_000
const TIME_MS = 1_000

/** Range of the search for someone else's fill: longer than any order of a relay is valid. */
const LOOK_BACK_BLOCKS = 1_000n

const ORDER_FILLED = getAbiItem({ abi: serviceRfqSettlementAbi, name: 'OrderFilled' })

/**
 * The chain behind an RPC URL, with a wallet of its own that no one else uses. Faults of a node are never passed on
 * unchanged: their text holds what was signed. `feeBumping` and `pollingIntervalMs` are for tests.
 */
export function createFillChain(parts: {
  rpcUrl: string
  environment: Pick<ChainEnvironment, 'chainId' | 'settlementAddress' | 'coreAddress'>
  account: LocalAccount
  settings: Pick<RelayerSettings, 'maxGas' | 'maxGasPrice'>
  clock: Pick<Clock, 'now'>
  feeBumping?: FeeBumping
  pollingIntervalMs?: number
}): FillChain {
  const { rpcUrl, environment, account, settings, clock, feeBumping, pollingIntervalMs } = parts
  const { settlementAddress } = environment
  const { maxGas, maxGasPrice } = settings
  const { address } = account
  const transport = nodeTransport(rpcUrl)
  const client = createPublicClient({ transport })
  const purse = remember(readPurse, PURSE_MS, clock)
  const time = remember(readTime, TIME_MS, clock)
  const inTurn = createLimiter(TRIALS)
  let hearSent: (hash: Hex) => void = () => {}
  const wallet = createFeeBumpingWallet({
    account,
    setup: {
      ...environment,
      transport: insistent(transport),
      ...(pollingIntervalMs === undefined ? {} : { pollingIntervalMs }),
    },
    clock: systemClock,
    ...(feeBumping === undefined ? {} : { feeBumping }),
    bounds: { maxGas, maxFeePerGas: maxGasPrice, onSent: (hash) => hearSent(hash) },
  })

  async function readTime(): Promise<number> {
    const { timestamp } = await client.getBlock({ blockTag: 'latest' })
    return Number(timestamp)
  }

  async function readPurse(): Promise<Purse> {
    const [{ maxFeePerGas }, coin] = await Promise.all([client.estimateFeesPerGas(), client.getBalance({ address })])
    return { gasPrice: maxFeePerGas, coin }
  }

  const callOf = ({ fill, fee }: ChargedFill) =>
    ({
      address: settlementAddress,
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

  /** Uses the real gas price: a wallet could distinguish a trial from a transaction by a block without a price. */
  async function simulate(charged: ChargedFill): Promise<bigint> {
    const { gasPrice: maxFeePerGas } = await purse()
    const call = { ...callOf(charged), account: address, gas: maxGas, maxFeePerGas }
    try {
      return await inTurn(async () => {
        await client.simulateContract(call)
        return client.estimateContractGas(call)
      })
    } catch (fault) {
      throw refusalOf(fault, maxGas)
    }
  }

  async function costOf(hash: Hex): Promise<bigint> {
    const { gasUsed, effectiveGasPrice } = await client.getTransactionReceipt({ hash })
    return gasUsed * effectiveGasPrice
  }

  async function send(charged: ChargedFill, { onSent, signal }: Parameters<FillChain['send']>[1]): Promise<SentFill> {
    let isSent = false
    hearSent = (hash) => {
      isSent = true
      onSent(hash)
    }
    try {
      const { transactionHash, gasUsed, effectiveGasPrice } = await wallet.write(callOf(charged), signal)
      return { kind: 'mined', isFilled: true, transactionHash, cost: gasUsed * effectiveGasPrice }
    } catch (fault) {
      if (!isSent) throw refusalOf(fault, maxGas)
      if (!(fault instanceof TransactionRevertedError)) return { kind: 'unmined' }
      const transactionHash = fault.hash as Hex
      const cost = await costOf(transactionHash).catch(() => maxGas * maxGasPrice)
      return { kind: 'mined', isFilled: false, transactionHash, cost }
    }
  }

  async function readFillOf({ maker, taker, seriesId, ...order }: Parameters<FillChain['fillOf']>[0]) {
    const toBlock = await client.getBlockNumber({ cacheTime: 0 })
    const logs = await client.getLogs({
      address: settlementAddress,
      event: ORDER_FILLED,
      args: { maker, taker, seriesId: BigInt(seriesId) },
      strict: true,
      fromBlock: toBlock > LOOK_BACK_BLOCKS ? toBlock - LOOK_BACK_BLOCKS : 0n,
      toBlock,
    })
    // A maker can sign two orders with one nonce, of which one is filled.
    const filled = logs.find(
      ({ args }) =>
        args.nonce === BigInt(order.nonce) &&
        args.optionAmount === order.optionAmount &&
        args.premiumAmount === order.premiumAmount &&
        args.makerSelling === order.makerSelling,
    )
    return filled?.transactionHash ?? null
  }

  return { address, time, purse, simulate, send, fillOf: (order) => readable(readFillOf(order)) }
}

/** One call per request, so that what a stranger's wallet does in one delays no other. */
const nodeTransport = (url: string): Transport =>
  withShortErrors(
    http(url, {
      retryCount: 0,
      timeout: 0,
      fetchOptions: { redirect: 'error' },
      fetchFn: fetchWithin(TIMEOUT_MS),
    }),
  )

/** Retries, because a sent transaction must be followed. Calls with a waiting client fail at once. */
const insistent =
  (transport: Transport): Transport =>
  (options) => {
    const made = transport(options)
    const request = (...input: Parameters<typeof made.request>): Promise<unknown> =>
      withRetry(() => made.request(...input), {
        retries: RETRIES,
        backoff: BACKOFF,
        isRetryable: isTransportFault,
        sleep: delay,
      })
    return { ...made, request: request as typeof made.request }
  }

/** Caches a read; concurrent calls share it, and a failed one is not remembered. */
function remember<Value>(read: () => Promise<Value>, forMs: number, clock: Pick<Clock, 'now'>): () => Promise<Value> {
  let known: { value: Promise<Value>; at: number } | null = null
  return () => {
    if (known !== null && clock.now() - known.at < forMs) return known.value
    const value = readable(read())
    known = { value, at: clock.now() }
    value.catch(() => {
      known = null
    })
    return value
  }
}

const readable = <Value>(read: Promise<Value>): Promise<Value> =>
  read.catch((fault: unknown) => {
    throw fault instanceof RfqError ? fault : new RfqError('chain_unavailable', { cause: describeFault(fault) })
  })

/** The trial's reason against a fill, without anything that was signed. */
function refusalOf(fault: unknown, maxGas: bigint): RfqError {
  if (fault instanceof RfqError) return fault
  if (fault instanceof TransactionUnminedError) {
    return new RfqError('relayer_unavailable', { detail: 'Another transaction of the relayer waits to be mined.' })
  }
  if (isOutOfGas(fault)) {
    return new RfqError('fill_too_expensive', { detail: `The fill takes more than ${maxGas} gas.` })
  }
  const refusal = contractRefusal(fault)
  if (refusal === null) return new RfqError('chain_unavailable', { cause: describeFault(fault) })
  const { message, code: reason, errorName } = refusal
  return new RfqError('fill_refused', {
    // A nested call that runs out of gas leaves the contract without a reason of its own.
    detail: `The settlement contract would refuse the fill. ${message}${errorName === '' ? ` It may take more than ${maxGas} gas.` : ''}`,
    data: { reason, contractError: errorName === '' ? null : errorName },
  })
}

/** Nodes have words of their own for it, and no code. */
function isOutOfGas(fault: unknown): boolean {
  if (!(fault instanceof BaseError)) return false
  const isIt = (text: unknown) => /out ?of ?gas|gas required exceeds/i.test(`${text}`)
  return fault.walk((error) => isIt((error as Error).message) || isIt((error as BaseError).details)) !== null
}
