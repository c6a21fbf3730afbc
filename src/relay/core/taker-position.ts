import { RfqError } from '@rfqctl/protocol/domain/errors'
import { type OneSided, type QuoteRequest, takesInventory } from '@rfqctl/protocol/domain/request'
import { fromInventoryOf, type Inventory, reservedFor } from '@rfqctl/protocol/domain/reservation'
import { type Address, type Contracts, contracts } from '@rfqctl/protocol/domain/units'
import type { Context } from './context.ts'
import type { Freshness } from './ports/chain.ts'
import { allMaybe, type MaybePromise, thenMaybe } from './ports/maybe-promise.ts'

export type TakerPosition = {
  fromInventory: Contracts
  /** True if the purchase closes what the taker has written. */
  closes: boolean
}

type Asked = OneSided<Pick<QuoteRequest, 'inventory' | 'trade' | 'seriesId'>>

const NONE: TakerPosition = { fromInventory: contracts(0n), closes: false }

/**
 * Refuses a reduce-only trade larger than the position with `position_too_small`. The holdings are not reserved for the
 * order, as a maker's are: a commit does not prove whose wallet it names, and the fill, which the owner sends, takes no
 * more than is there (decision C14).
 */
export function readTakerPosition(
  { chain, store, clock, orderEvents }: Pick<Context, 'chain' | 'store' | 'clock' | 'orderEvents'>,
  asked: Asked,
  { wallet, amount, freshness }: { wallet: Address; amount: Contracts; freshness: Freshness },
): MaybePromise<TakerPosition> {
  const { trade, seriesId } = asked
  const isReduceOnly = trade.reduceOnly === true
  if (orderEvents === null || !takesInventory(asked)) return NONE
  if (trade.side === 'buy' && !isReduceOnly) return NONE
  const has = chain.inventory(wallet, seriesId, freshness)
  if (trade.side === 'buy') {
    return thenMaybe(has, ({ short }) => {
      if (short < amount)
        throw tooSmall(`Wallet ${wallet} has written ${short} options of series ${seriesId}; this buys ${amount}.`)
      return { fromInventory: contracts(0n), closes: true }
    })
  }
  const own = { makerId: null, spender: 'core', seriesId, isProven: false } as const
  const outstanding = thenMaybe(chain.time('cached'), (chainTime) =>
    thenMaybe(store.acceptances.outstandingOf(wallet, chainTime), ({ orders }) =>
      reservedFor(orders, { ...own, chainTime, now: clock.now() }, null),
    ),
  )
  return thenMaybe(allMaybe([has, outstanding]), ([held, reserved]) => {
    const fromInventory = fromInventoryOf(amount, held, reserved)
    if (isReduceOnly && fromInventory < amount)
      throw tooSmall(soldText(wallet, seriesId, { held, promised: reserved.longs, amount }))
    return { fromInventory, closes: false }
  })
}

function soldText(
  wallet: Address,
  seriesId: string,
  { held: { long, isApproved }, promised, amount }: { held: Inventory; promised: Contracts; amount: Contracts },
): string {
  const approval = isApproved ? '' : ', and has not approved them to the settlement contract'
  return `Wallet ${wallet} holds ${long} options of series ${seriesId}${approval}; this sells ${amount} and ${promised} are already promised.`
}

const tooSmall = (detail: string): RfqError => new RfqError('position_too_small', { detail })
