import { groupBy } from '@rfqctl/lib/group-by'
import { makerObligation } from '@rfqctl/protocol/domain/order'
import type { NonceUse } from '@rfqctl/protocol/domain/order-end'
import { type FundsLook, findDefunded, mostSpent, type Spender } from '@rfqctl/protocol/domain/reservation'
import { type Context, record } from './context.ts'
import type { ChainHead, FinalBlock, OrderEventsRead } from './ports/chain.ts'
import type { DefundedOrder, OpenOrder } from './ports/store.ts'

/** Bounds one look: strangers decide how many orders and wallets there are. */
const WALLETS_AT_ONCE = 100
const ORDERS_AT_ONCE = 2_000

/** Oldest look to compare with, in blocks: the uses of nonces since then are at hand. */
const REMEMBERED_BLOCKS = 256

/** Extra blocks of fills that may explain a new order's shortage: relay and chain have separate clocks. */
const MARGIN_BLOCKS = 8

type Look = ChainHead & FundsLook

/** Sorts before all wallets. */
const START = ''

/**
 * Looks at a part of the wallets with open orders at each final block, and compares with the last look at the same
 * wallet, else with the last at any. Each process has its own looks; the store decides which node announces. A defunded
 * order remains open: its taker can fill it once the money is back.
 */
export function createOrderFunds(
  context: Pick<Context, 'store' | 'chain' | 'bus' | 'audit' | 'clock' | 'log' | 'settings'> & {
    records: Pick<Context['records'], 'note'>
  },
) {
  const { store, chain, settings } = context
  /** By wallet, in lower case; the oldest first. */
  const looks = new Map<string, Look>()
  let last: ChainHead | null = null
  let after = START

  /** Seconds of chain time, which may run ahead of the relay's clock: the order was built at a time of the chain. */
  function signedAt({ order, createdAt, confirmedAt }: OpenOrder): number {
    const builtAt = order.validUntil - Math.ceil((settings.makerConfirmationMs + settings.orderValidityMs) / 1_000)
    return Math.max(confirmedAt / 1_000, builtAt + (confirmedAt - createdAt) / 1_000)
  }

  /** `final` is a final block up to which all ends are kept. */
  async function look(final: FinalBlock, uses: OrderEventsRead['uses']): Promise<void> {
    if (last !== null && final.block <= last.block) return
    const isRecent = ({ block }: ChainHead) => block >= final.block - REMEMBERED_BLOCKS
    for (const [wallet, one] of looks) if (!isRecent(one)) looks.delete(wallet)
    const former = last === null || !isRecent(last) ? null : { ...last, funds: {} }
    const bounds = { after, wallets: WALLETS_AT_ONCE, since: final.time, limit: ORDERS_AT_ONCE }
    const orders = await store.orders.open(bounds)
    const wallets = groupBy(orders, ({ order }) => order.maker.toLowerCase())
    const isCut = orders.length >= ORDERS_AT_ONCE
    // The last wallet's list may be cut off: it comes first the next time.
    if (isCut && wallets.size > 1) wallets.delete([...wallets.keys()].at(-1) ?? START)
    const found = await readFunds(final, wallets)
    const defunded = [...wallets].flatMap(([wallet, orders]) => {
      const before = looks.get(wallet) ?? former
      const now = found.get(wallet)
      return before === null || now === undefined
        ? []
        : defundedOf(orders, { before, now, uses: uses.get(wallet) ?? [] })
    })
    const told = defunded.length === 0 ? [] : await store.orders.defund(defunded)
    for (const [wallet, now] of found) {
      looks.delete(wallet)
      looks.set(wallet, now)
    }
    last = { block: final.block, time: final.time }
    const isLast = wallets.size < WALLETS_AT_ONCE && !isCut
    after = (isLast ? null : [...wallets.keys()].at(-1)) ?? START
    for (const order of told) await announce(order)
  }

  async function readFunds(
    final: FinalBlock,
    wallets: ReadonlyMap<string, readonly OpenOrder[]>,
  ): Promise<ReadonlyMap<string, Look>> {
    const asked = [...wallets].flatMap(([name, orders]) =>
      [...new Map(orders.map((one) => [spenderOf(one), one.order.maker]))].map(([spender, wallet]) => ({
        name,
        spender,
        wallet,
      })),
    )
    const looked = new Map<string, Look>()
    if (asked.length === 0) return looked
    const answers = await chain.fundsAt(asked, final)
    asked.forEach(({ name, spender }, i) => {
      const { block, time } = final
      looked.set(name, { block, time, funds: { ...looked.get(name)?.funds, [spender]: answers[i] } })
    })
    return looked
  }

  function defundedOf(
    orders: readonly OpenOrder[],
    { before, now, uses }: { before: Look; now: Look; uses: readonly NonceUse[] },
  ): DefundedOrder[] {
    const promised = orders.map((order) => ({
      ...makerObligation(order.order, order.option, order.fromInventory),
      signedAt: signedAt(order),
      order,
    }))
    const spent = mostSpent(uses, before.block, now.block)
    const spentSinceSigned = mostSpent(uses, before.block - MARGIN_BLOCKS, now.block)
    return findDefunded(promised, { before, now, spent, spentSinceSigned }).map(({ order: { order }, code }) => {
      const { acceptanceId, requestId, quoteId, makerId } = order
      const defunding = { code, blockNumber: now.block }
      return { acceptanceId, requestId, quoteId, makerId, order: order.order, defunding }
    })
  }

  /** A maker that is not connected, or misses the message, finds it in its history. */
  async function announce({ requestId, quoteId, makerId, defunding }: DefundedOrder): Promise<void> {
    const { bus, log, records } = context
    log.warn('order_defunded', { requestId, quoteId, makerId, reason: defunding.code })
    record(context, requestId, { kind: 'order_defunded', makerId, quoteId, ...defunding })
    records.note(makerId, { kind: 'defunded', requestId, quoteId })
    await bus
      .publish('maker', makerId, { kind: 'order_defunded', requestId, quoteId, defunding })
      .catch((fault: unknown) => log.warn('order_defunding_not_told', { requestId, fault }))
  }

  return { look }
}

const spenderOf = ({ order, option }: OpenOrder): Spender => makerObligation(order, option).spender
