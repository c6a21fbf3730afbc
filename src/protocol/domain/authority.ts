import type { SeriesId } from './series.ts'
import type { Address, Hex, ResolutionBps } from './units.ts'

/** The roles of a core, by their number on chain. */
export const ROLES = ['owner', 'guardian', 'resolution_signer', 'registrar'] as const

/** A role of a core: who appoints, who stops and vetoes, who attests prices, who registers series. */
export type AuthorityRole = (typeof ROLES)[number]

/** Who holds a role of the core, and who is to. Times are Unix seconds. */
export type RoleStanding = {
  /** Which one. */
  role: AuthorityRole
  /** Who holds it; null while no one does. */
  holder: Address | null
  /** Who is proposed for it (`account`), and from `acceptableAt` to `lapsesAt` may accept; null where no one is. */
  proposed: { account: Address; acceptableAt: number; lapsesAt: number } | null
}

/** What those who hold a role can do, or have done to them. */
export const AUTHORITY_KINDS = [
  'role_proposed',
  'role_changed',
  'role_revoked',
  'series_halted',
  'series_resumed',
  'price_proposed',
  'price_executed',
  'price_of_condition',
  'price_voided',
  'prices_contradicted',
  'default_cap_changed',
] as const

/** An event of the core that says what those with a role did; it is of a final block. Null: it does not say. */
export type AuthorityEvent = {
  /** What happened. */
  kind: (typeof AUTHORITY_KINDS)[number]
  /** The block that it is in. */
  blockNumber: number
  /** The transaction. */
  transactionHash: Hex
  /** The role it is about. */
  role: AuthorityRole | null
  /** Who was proposed, took the role or lost it. */
  account: Address | null
  /** The series it is about. */
  seriesId: SeriesId | null
  /** The price it is about, in hundredths of $1. */
  resolutionBps: ResolutionBps | null
  /** From when on what was proposed can be carried out, Unix seconds. */
  effectiveAt: number | null
}

/** Who may do what on chain, and what they did lately. */
export type AuthorityStanding = {
  /** Each role. */
  roles: readonly RoleStanding[]
  /** The newest events, oldest first; of a day at the start, and since then. */
  events: readonly AuthorityEvent[]
}

/** An event in words, for people: what happened, and to whom. */
export function authorityText({ kind, role, account, resolutionBps, effectiveAt }: AuthorityEvent): string {
  const who = role === null ? '' : ` ${role.replace('_', ' ')}`
  const price = resolutionBps === null ? '' : ` $${(resolutionBps / 100).toFixed(2)}`
  const from = effectiveAt === null ? '' : ` from ${new Date(effectiveAt * 1_000).toISOString().slice(0, 16)}Z`
  return `${kind.replaceAll('_', ' ')}:${who}${account === null ? '' : ` ${account}`}${price}${from}`.replace(/:$/, '')
}
