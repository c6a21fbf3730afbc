import type { Over } from '@rfqctl/protocol/domain/commit-machine'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Quote } from '@rfqctl/protocol/domain/quote'
import type { QuoteRequest } from '@rfqctl/protocol/domain/request'
import type { Context } from './context.ts'
import type { QueueBounds } from './keyed-queue.ts'
import { goneRefusal } from './maker-protections.ts'
import { over, passOver, passOverHeldBack, passOverInsolvent, passOverUnproven } from './pass-over.ts'
import type { Acceptance, Execution } from './ports/store.ts'
import { MAX_TRIES, type Solvency } from './solvency.ts'

type Judged = { solvency: Solvency; protectionsVersion: number }

/** Why an order is not stored. */
type Refused = false | 'late' | 'protected' | 'unproven' | 'suspended' | 'gone'

/** Versions of what an order was judged by: of the debts of its wallet, and of its maker's protections. */
type Seen = { outstandingVersion: number | null; protectionsVersion: number }

type Insert<Made> = (solvency: Solvency, seen: Seen) => Promise<Made | Over<never> | Refused | 'outdated'>

/** Orders of one wallet that may wait for their turn on a node: many times those that its makers can be asked for at once. */
export const WALLET_TURNS: QueueBounds = { atWork: 1, waiting: 1_000 }

/**
 * Stores an order by `insert`, which reads last what time may have changed. Judges the wallet again, and retries, while it has
 * promised more since it was judged. Orders of one wallet take turns on a node: at once, each would outdate all others. Those of
 * other nodes do, by the versions of the store.
 */
export const promiseOrder = <Made extends Acceptance | Execution>(
  context: Context,
  request: QuoteRequest,
  { quote, judged }: { quote: Quote; judged: Judged },
  insert: Insert<Made>,
): Promise<Made | Over<never>> =>
  context.walletTurns(quote.maker, () => storePromise(context, request, { quote, judged }, insert))

async function storePromise<Made extends Acceptance | Execution>(
  context: Context,
  request: QuoteRequest,
  { quote, judged: { solvency: first, protectionsVersion } }: { quote: Quote; judged: Judged },
  insert: Insert<Made>,
): Promise<Made | Over<never>> {
  let solvency = first
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const insolvent = passOverInsolvent(context, quote, solvency)
    if (insolvent !== null) return insolvent
    const made = await insert(solvency, { outstandingVersion: solvency.outstandingVersion, protectionsVersion })
    if (typeof made === 'object') return made
    if (made !== 'outdated') return refuse(context, request, quote, made)
    solvency = await solvency.again()
  }
  return over('changed')
}

/** The store knows more than this node, which reads it. */
async function refuse(context: Context, request: QuoteRequest, quote: Quote, refused: Refused): Promise<Over<never>> {
  const { records, protections } = context
  const { makerId } = quote
  if (refused === false) return over('closed')
  if (refused === 'late') return over('changed')
  if (refused === 'gone') return passOver(context, quote, 'withdrawn', goneRefusal())
  if (refused === 'unproven') return passOverUnproven(context, quote)
  if (refused === 'suspended') {
    await records.refresh(makerId)
    return passOver(context, quote, 'withdrawn', records.refusalOf(makerId) ?? new RfqError('maker_suspended'))
  }
  await protections.refresh(makerId)
  return (await passOverHeldBack(context, request, quote)) ?? over('changed')
}
