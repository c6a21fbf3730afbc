import type { Over } from '@rfqctl/protocol/domain/commit-machine'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Quote } from '@rfqctl/protocol/domain/quote'
import type { QuoteRequest } from '@rfqctl/protocol/domain/request'
import type { Context } from './context.ts'
import { goneRefusal } from './maker-protections.ts'
import { over, passOver, passOverHeldBack, passOverInsolvent, passOverUnproven } from './pass-over.ts'
import type { Acceptance, Execution } from './ports/store.ts'
import { MAX_TRIES, type Solvency } from './solvency.ts'

type Judged = { solvency: Solvency; protectionsVersion: number }

/** Why an order is not stored. */
type Refused = false | 'late' | 'protected' | 'unproven' | 'suspended' | 'gone'

/** Versions of what an order was judged by: of the debts of its wallet, and of its maker's protections. */
type Seen = { outstandingVersion: number | null; protectionsVersion: number }

/** Stores an order by `insert`. Judges the wallet again, and retries, while it has promised more since it was judged. */
export async function promiseOrder<Made extends Acceptance | Execution>(
  context: Context,
  request: QuoteRequest,
  { quote, judged: { solvency: first, protectionsVersion } }: { quote: Quote; judged: Judged },
  insert: (solvency: Solvency, seen: Seen) => Promise<Made | Refused | 'outdated'>,
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
