import { serviceCoreAbi, serviceRfqSettlementAbi, testUsdAbi } from '@rfqctl/protocol/contracts/abi'
import type { TradeEvent } from '@rfqctl/protocol/domain/trade-history'
import { contracts, usd6 } from '@rfqctl/protocol/domain/units'
import {
  formatLog,
  type Hex,
  isAddressEqual,
  numberToHex,
  pad,
  parseEventLogs,
  type RpcLog,
  toEventSelector,
  zeroAddress,
} from 'viem'
import { type BlockSpan, readSpansBack } from './event-spans.ts'
import type { Wallet } from './wallet.ts'

/** Event of a wallet; its time is null where the node does not send it along with the log. */
export type WalletEvent = Omit<TradeEvent, 'time'> & { time: number | null }

/** Blocks of the first query: as many as public nodes search at a time. */
const FIRST_SPAN = 10_000n

/** Most spans of one reading, in three calls each, so that its cost to a node is bounded. */
const MAX_SPANS = 64

const EVENTS = [...serviceCoreAbi, ...serviceRfqSettlementAbi, ...testUsdAbi] as const

type Log = ReturnType<typeof parseEventLogs<typeof EVENTS>>[number]

/** Events of a wallet from a block back, span by span, each with the block from which on all were read. */
export const readEventsBack = (
  wallet: Wallet,
  { head, signal }: { head: bigint; signal: AbortSignal | undefined },
): AsyncGenerator<{ events: WalletEvent[]; from: bigint }> =>
  readSpansBack({
    blocks: { from: 0n, to: head },
    firstSpan: FIRST_SPAN,
    maxSpans: MAX_SPANS,
    read: (span) => readWalletEvents(wallet, span),
    signal,
  })

/** Events of a span of blocks that changed the wallet's options, oldest first, with the fees that its fills paid. */
async function readWalletEvents(wallet: Wallet, { from, to }: BlockSpan): Promise<WalletEvent[]> {
  const { publicClient, setup, address } = wallet
  const contracts = [setup.coreAddress, setup.settlementAddress, await wallet.stablecoin()]
  const found = await Promise.all(
    topicsOf(pad(address)).map((topics) =>
      publicClient.request({
        method: 'eth_getLogs',
        params: [{ address: contracts, topics, fromBlock: numberToHex(from), toBlock: numberToHex(to) }],
      }),
    ),
  )
  // A transfer to oneself is found twice, and changes nothing.
  const logs = parseEventLogs({ abi: EVENTS, logs: (found.flat() as RpcLog[]).map((log) => formatLog(log)) })
  return eventsOf(
    logs.toSorted((a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex),
    wallet,
  )
}

/** The indexed argument with the wallet differs by event: the first, the second or the third. */
const topicsOf = (wallet: Hex): (Hex | Hex[] | null)[][] => [
  [selectorsOf('OrderFilled', 'Transfer'), wallet],
  [
    selectorsOf(
      ...['OrderFilled', 'OptionsWritten', 'PositionClosed', 'HolderPayoutClaimed', 'WriterCollateralClaimed'],
      ...['ShortMoved', 'TransferSingle', 'TransferBatch', 'Transfer'],
    ),
    null,
    wallet,
  ],
  [selectorsOf('ShortMoved', 'TransferSingle', 'TransferBatch'), null, null, wallet],
]

function selectorsOf(...names: string[]): Hex[] {
  const events = EVENTS.filter((item) => item.type === 'event')
  return events.filter(({ name }) => names.includes(name)).map((event) => toEventSelector(event))
}

/** A sale of the wallet, as far as its options were not delivered or written yet. */
type Sale = { amount: bigint; premium: bigint; fee: bigint }

function eventsOf(logs: readonly Log[], wallet: Wallet): WalletEvent[] {
  const isOwn = (account: Hex) => isAddressEqual(account, wallet.address)
  const events: WalletEvent[] = []
  let sale: Sale = { amount: 0n, premium: 0n, fee: 0n }
  for (const [index, log] of logs.entries()) {
    const add = (kind: TradeEvent['kind'], seriesId: bigint, amount: bigint, change: Change): void => {
      // Anyone can send no options at all.
      if (amount > 0n) events.push(eventOf(log, { kind, seriesId, amount, change }))
    }
    const move = (from: Hex, to: Hex, seriesId: bigint, amount: bigint, side: 'long' | 'short'): void => {
      // Options that are minted or burned have an event of their own.
      if (isAddressEqual(from, to) || from === zeroAddress || to === zeroAddress) return
      if (isOwn(to)) add('received', seriesId, amount, { [side]: amount })
      else add('sent', seriesId, amount, { [side]: -amount })
    }
    switch (log.eventName) {
      case 'OrderFilled': {
        const { seriesId, maker, makerSelling, optionAmount: amount, premiumAmount: premium } = log.args
        const isBuyer = isOwn(maker) !== makerSelling
        const fee = feeOf(logs, index, { isBuyer, premium, isOwn })
        if (isBuyer) add('bought', seriesId, amount, { long: amount, premium, fee, paid: premium + fee })
        else sale = { amount, premium, fee }
        break
      }
      case 'OptionsWritten': {
        const { seriesId, amount, collateral } = log.args
        const share = takeShare(sale, amount)
        add('wrote', seriesId, amount, { short: amount, ...share, paid: collateral })
        break
      }
      case 'PositionClosed': {
        const { seriesId, amount, collateral } = log.args
        add('closed', seriesId, amount, { long: -amount, short: -amount, received: collateral })
        break
      }
      case 'HolderPayoutClaimed':
        add('payout', log.args.seriesId, log.args.amount, { long: -log.args.amount, received: log.args.payout })
        break
      case 'WriterCollateralClaimed':
        add('collateral', log.args.seriesId, log.args.amount, {
          short: -log.args.amount,
          received: log.args.collateral,
        })
        break
      case 'ShortMoved':
        move(log.args.from, log.args.to, log.args.seriesId, log.args.amount, 'short')
        break
      case 'TransferSingle': {
        const { operator, from, to, id, value } = log.args
        if (!isAddressEqual(operator, wallet.setup.settlementAddress)) move(from, to, id, value, 'long')
        else if (isOwn(from) && to !== zeroAddress) add('sold', id, value, { long: -value, ...takeShare(sale, value) })
        break
      }
      case 'TransferBatch': {
        const { from, to, ids, values } = log.args
        for (const [place, id] of ids.entries()) move(from, to, id, values[place] ?? 0n, 'long')
        break
      }
    }
  }
  return events
}

type Change = Partial<Record<'long' | 'short' | 'premium' | 'fee' | 'paid' | 'received', bigint>>

const eventOf = (
  { transactionHash, blockNumber, blockTimestamp }: Log,
  { kind, seriesId, amount, change }: { kind: TradeEvent['kind']; seriesId: bigint; amount: bigint; change: Change },
): WalletEvent => ({
  kind,
  seriesId: String(seriesId),
  transactionHash,
  blockNumber,
  time: blockTimestamp == null ? null : Number(blockTimestamp),
  amount: contracts(amount),
  long: change.long ?? 0n,
  short: change.short ?? 0n,
  premium: usd6(change.premium ?? 0n),
  fee: usd6(change.fee ?? 0n),
  paid: usd6(change.paid ?? 0n),
  received: usd6(change.received ?? 0n),
})

/** Options delivered or written in a sale have a share of its premium and fee, rounded down: the last ones get the rest. */
function takeShare(sale: Sale, amount: bigint): { premium: bigint; fee: bigint; received: bigint } {
  const share = (sum: bigint) => (sale.amount === 0n ? 0n : (sum * amount) / sale.amount)
  const [premium, fee] = [share(sale.premium), share(sale.fee)]
  sale.amount -= amount
  sale.premium -= premium
  sale.fee -= fee
  return { premium, fee, received: premium - fee }
}

/**
 * Fees of a fill: no event of the contracts has them, and the transfers of the stablecoin between the order and its options do. A buyer
 * pays more than the premium, and a seller gets less; a maker whom the taker named as its partner gets the fee.
 */
function feeOf(
  logs: readonly Log[],
  fill: number,
  { isBuyer, premium, isOwn }: { isBuyer: boolean; premium: bigint; isOwn: (account: Hex) => boolean },
): bigint {
  let [paid, received] = [0n, 0n]
  for (let next = fill + 1; ; next++) {
    const log = logs[next]
    if (log?.eventName !== 'Transfer') return isBuyer ? paid - received - premium : premium - received
    if (isOwn(log.args.from)) paid += log.args.value
    if (isOwn(log.args.to)) received += log.args.value
  }
}
