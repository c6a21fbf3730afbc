import {
  custom,
  decodeFunctionData,
  type EIP1193RequestFn,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
  type Hex,
  hexToBigInt,
  multicall3Abi,
  numberToHex,
  pad,
  zeroAddress,
} from 'viem'
import { createWallet, type Wallet } from '../../src/client/wallet.ts'
import { serviceCoreAbi, serviceRfqSettlementAbi, testUsdAbi } from '../../src/protocol/contracts/abi.ts'
import { type Leg, type OptionType, optionTypeNumber, packLegs } from '../../src/protocol/domain/option.ts'
import type { Address } from '../../src/protocol/domain/units.ts'

export const WALLET: Address = '0x1111111111111111111111111111111111111111'
export const OTHER: Address = '0x2222222222222222222222222222222222222222'
const CORE: Address = '0x3333333333333333333333333333333333333333'
const SETTLEMENT: Address = '0x4444444444444444444444444444444444444444'
const STABLECOIN: Address = '0x5555555555555555555555555555555555555555'
const PARTNER: Address = '0x6666666666666666666666666666666666666666'

export const MAX_PAYOFF = 550_000n
const EXPIRY = 5_000_000_000n

type Log = {
  address: Address
  topics: (Hex | null)[]
  data: Hex
  blockNumber: Hex
  logIndex: Hex
  transactionHash: Hex
}

type Fill = {
  seriesId: bigint
  /** Whether the wallet is the maker, and whether it buys. */
  isMaker: boolean
  isBuyer: boolean
  amount: bigint
  premium: bigint
  /** Paid by the taker. */
  fee?: bigint
  /** Gets the fee; another account when absent. */
  partner?: Address
  /** Options that the seller holds and delivers. */
  delivered?: bigint
  /** The taker pays by a signed transfer to the settlement. */
  isSigned?: boolean
  /** The fill is in the transaction of the one before. */
  isTogether?: boolean
}

/**
 * A chain of one wallet that trades with another: the logs that both contracts and the stablecoin write, in their sequence, a block for
 * each transaction, `spacing` blocks apart, at second 1000 + block. Its series are calls, puts, or packages of `legs`. `flow` is the
 * stablecoin that the wallet got by trades less what it gave.
 */
export function createTradeChain({
  spacing = 1n,
  hasTimes = true,
  optionType = 'call',
  legs,
}: {
  spacing?: bigint
  hasTimes?: boolean
  optionType?: OptionType
  legs?: readonly Leg[]
} = {}) {
  const logs: Log[] = []
  const asked: string[] = []
  const held = new Map<bigint, { long: bigint; short: bigint }>()
  let [block, flow, logIndex, mostBlocks] = [0n, 0n, 0, 1n << 60n]
  let [payoff, finalAt]: [bigint | null, bigint] = [null, 0n]

  const heldIn = (seriesId: bigint) => held.get(seriesId) ?? { long: 0n, short: 0n }
  const change = (seriesId: bigint, by: { long?: bigint; short?: bigint }) => {
    const { long, short } = heldIn(seriesId)
    held.set(seriesId, { long: long + (by.long ?? 0n), short: short + (by.short ?? 0n) })
  }
  const begin = (): void => {
    block += spacing
    logIndex = 0
  }
  const emit = (address: Address, eventName: string, args: Record<string, unknown>): void => {
    const abi = [...serviceCoreAbi, ...serviceRfqSettlementAbi, ...testUsdAbi]
    const event = abi.find((item) => item.type === 'event' && item.name === eventName)
    if (event?.type !== 'event') throw new Error(`no event is named ${eventName}`)
    const rest = event.inputs.filter((input) => !('indexed' in input && input.indexed))
    logs.push({
      address,
      topics: encodeEventTopics({ abi, eventName, args } as never) as Hex[],
      data: encodeAbiParameters(
        rest,
        rest.map(({ name }) => args[name]),
      ),
      blockNumber: numberToHex(block),
      logIndex: numberToHex(logIndex++),
      transactionHash: numberToHex(block, { size: 32 }),
      ...(hasTimes ? { blockTimestamp: numberToHex(1_000n + block) } : {}),
    })
  }
  const pay = (from: Address, to: Address, value: bigint): void => {
    emit(STABLECOIN, 'Transfer', { from, to, value })
    flow += (to === WALLET ? value : 0n) - (from === WALLET ? value : 0n)
  }
  const transfer = (operator: Address, from: Address, to: Address, seriesId: bigint, amount: bigint): void => {
    emit(CORE, 'TransferSingle', { operator, from, to, id: seriesId, value: amount })
    change(seriesId, { long: (to === WALLET ? amount : 0n) - (from === WALLET ? amount : 0n) })
  }
  const closeBy = (operator: Address, seriesId: bigint, amount: bigint): void => {
    transfer(operator, WALLET, zeroAddress, seriesId, amount)
    change(seriesId, { short: -amount })
    const collateral = amount * MAX_PAYOFF
    emit(CORE, 'PositionClosed', { seriesId, account: WALLET, to: WALLET, amount, collateral })
    pay(CORE, WALLET, collateral)
  }

  /** As `ServiceRFQSettlement`: the order, the payments, then options delivered and options written. */
  function fill(order: Fill): void {
    const {
      seriesId,
      isMaker,
      isBuyer,
      amount,
      premium,
      fee = 0n,
      delivered = 0n,
      isSigned = false,
      partner = PARTNER,
    } = order
    if (order.isTogether !== true) begin()
    const [maker, taker] = isMaker ? [WALLET, OTHER] : [OTHER, WALLET]
    const [buyer, seller] = isBuyer ? [WALLET, OTHER] : [OTHER, WALLET]
    const written = amount - delivered
    const makerSelling = seller === maker
    const filled = { maker, taker, seriesId, optionAmount: amount, premiumAmount: premium, makerSelling, nonce: 1n }
    emit(SETTLEMENT, 'OrderFilled', filled)
    if (isSigned) pay(taker, SETTLEMENT, makerSelling ? premium + fee : written * MAX_PAYOFF)
    const payer = isSigned && makerSelling ? SETTLEMENT : buyer
    pay(payer, seller, makerSelling ? premium : premium - fee)
    if (fee > 0n) pay(payer, partner, fee)
    if (delivered > 0n) transfer(SETTLEMENT, seller, buyer, seriesId, delivered)
    if (written === 0n) return
    const collateral = written * MAX_PAYOFF
    emit(CORE, 'OptionsWritten', { seriesId, writer: seller, holder: buyer, amount: written, collateral })
    if (seller === WALLET) change(seriesId, { short: written })
    pay(isSigned && !makerSelling ? SETTLEMENT : seller, CORE, collateral)
    transfer(SETTLEMENT, zeroAddress, buyer, seriesId, written)
  }

  const answerCall = (data: Hex): Hex => {
    const call = decodeFunctionData({ abi: serviceCoreAbi, data })
    const { functionName, args } = call as { functionName: string; args: readonly [unknown, unknown] }
    const result = (value: unknown) =>
      encodeFunctionResult({ abi: serviceCoreAbi, functionName, result: value } as never)
    if (functionName === 'stablecoin') return pad(STABLECOIN)
    if (functionName === 'balanceOf') return result(heldIn(args[1] as bigint).long)
    if (functionName === 'shortOf') return result(heldIn(args[0] as bigint).short)
    if (functionName === 'legsOf') return result([packLegs(legs ?? []), 0n])
    const state = {
      strikeBps: legs === undefined ? 4_500 : 0,
      optionType: legs === undefined ? optionTypeNumber(optionType) : 2,
      resolutionBps: 0,
      halted: false,
      vetoed: false,
      fixing: 1,
    }
    const amounts = { openInterest: 0n, openInterestCap: 0n, expiry: EXPIRY, tradingEndsAt: EXPIRY }
    const price = { settled: payoff !== null, payoff: Number(payoff ?? 0n), maxPayoff: Number(MAX_PAYOFF), finalAt }
    return result({ ...state, ...amounts, ...price })
  }

  /** A bundle of calls is at the end of the code that makes them. */
  const answerBundle = (data: Hex): Hex => {
    const start = data.lastIndexOf('82ad56cb')
    const { args } = decodeFunctionData({ abi: multicall3Abi, data: `0x${data.slice(start)}` })
    const results = (args[0] as readonly { callData: Hex }[]).map(({ callData }) => ({
      success: true,
      returnData: answerCall(callData),
    }))
    return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result: results } as never)
  }

  const request = async ({ method, params }: { method: string; params: unknown }): Promise<unknown> => {
    asked.push(method)
    if (method === 'eth_getBlockByNumber') {
      const [tag] = params as [Hex | 'latest']
      const number = tag === 'latest' ? block : hexToBigInt(tag)
      return { number: numberToHex(number), timestamp: numberToHex(1_000n + number), transactions: [] }
    }
    if (method === 'eth_call') {
      const [{ to, data }] = params as [{ to?: Address; data: Hex }]
      return to === undefined ? answerBundle(data) : answerCall(data)
    }
    const [{ address, topics, fromBlock, toBlock }] = params as [
      { address: Address[]; topics: (Hex | Hex[] | null)[]; fromBlock: Hex; toBlock: Hex },
    ]
    if (hexToBigInt(toBlock) - hexToBigInt(fromBlock) >= mostBlocks) throw new Error('query exceeds max block range')
    return logs.filter(
      (log) =>
        address.includes(log.address) &&
        hexToBigInt(log.blockNumber) >= hexToBigInt(fromBlock) &&
        hexToBigInt(log.blockNumber) <= hexToBigInt(toBlock) &&
        topics.every((topic, i) => topic === null || [topic].flat().includes(log.topics[i] as Hex)),
    )
  }

  return {
    asked,
    heldIn,
    flow: () => flow,
    fill,
    close: (seriesId: bigint, amount: bigint) => {
      begin()
      closeBy(WALLET, seriesId, amount)
    },
    /** Buys and closes in one transaction. */
    buyBack: (seriesId: bigint, amount: bigint, premium: bigint) => {
      fill({ seriesId, isMaker: false, isBuyer: true, amount, premium })
      closeBy(SETTLEMENT, seriesId, amount)
    },
    settle: (price: bigint, at = 0n) => {
      payoff = price
      finalAt = at
    },
    claimPayout: (seriesId: bigint, amount: bigint) => {
      begin()
      transfer(WALLET, WALLET, zeroAddress, seriesId, amount)
      const paid = amount * (payoff ?? 0n)
      emit(CORE, 'HolderPayoutClaimed', { seriesId, holder: WALLET, to: WALLET, amount, payout: paid })
      if (paid > 0n) pay(CORE, WALLET, paid)
    },
    claimCollateral: (seriesId: bigint) => {
      const amount = heldIn(seriesId).short
      begin()
      change(seriesId, { short: -amount })
      const collateral = amount * (MAX_PAYOFF - (payoff ?? 0n))
      emit(CORE, 'WriterCollateralClaimed', { seriesId, writer: WALLET, to: WALLET, amount, collateral })
      if (collateral > 0n) pay(CORE, WALLET, collateral)
    },
    send: (from: Address, to: Address, seriesId: bigint, amount: bigint) => {
      begin()
      transfer(from, from, to, seriesId, amount)
    },
    moveShort: (from: Address, to: Address, seriesId: bigint, amount: bigint) => {
      begin()
      emit(CORE, 'ShortMoved', { seriesId, from, to, amount })
      change(seriesId, { short: to === WALLET ? amount : -amount })
    },
    /** Stablecoin that comes for nothing. */
    deposit: (value: bigint) => {
      begin()
      emit(STABLECOIN, 'Transfer', { from: OTHER, to: WALLET, value })
    },
    /** The node looks through so many blocks at a time. */
    limit: (blocks: bigint) => {
      mostBlocks = blocks
    },
    /** Time passes, and nothing happens. */
    pass: (blocks: bigint) => {
      block += blocks
    },
    wallet: (): Wallet => {
      const transport = custom({ request: request as EIP1193RequestFn }, { retryCount: 0 })
      const setup = { chainId: 1, coreAddress: CORE, settlementAddress: SETTLEMENT, transport }
      return createWallet({ account: WALLET, setup })
    },
  }
}
