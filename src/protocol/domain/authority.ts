import type { SeriesId } from './series.ts'
import type { Address, Hex, ResolutionBps } from './units.ts'

/** The roles of a core, by their number on chain. */
export const ROLES = ['owner', 'guardian', 'resolution_signer', 'registrar', 'halter'] as const

/**
 * A role of a core: the owner appoints, the guardian halts, vetoes and revokes, the resolution signer attests prices, the
 * registrar registers series, the halter halts them.
 */
export type AuthorityRole = (typeof ROLES)[number]

/** A role of the core. Times are Unix seconds. */
export type RoleHolder = {
  role: AuthorityRole
  /** Null: the role is vacant. */
  holder: Address | null
  /** The `account` may accept from `acceptableAt` to `lapsesAt`; null where no one is. */
  proposed: { account: Address; acceptableAt: number; lapsesAt: number } | null
}

/** Kinds of events of roles: acts of their holders, and changes of the holders. */
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
  'price_proposal_vetoed',
  'default_cap_changed',
] as const

/** An event about a role, or an act of its holder, from a final block. Null: the event does not have it. */
export type AuthorityEvent = {
  /** Kind of event. */
  kind: (typeof AUTHORITY_KINDS)[number]
  /** A final block. */
  blockNumber: number
  transactionHash: Hex
  /** The role it is about. */
  role: AuthorityRole | null
  /** Account that was proposed, took the role or lost it. */
  account: Address | null
  /** The series it is about. */
  seriesId: SeriesId | null
  /** The price that was attested, corrected or vetoed. */
  resolutionBps: ResolutionBps | null
  /** Time from which the proposal can be carried out, Unix seconds. */
  effectiveAt: number | null
}

/** Roles on chain with their holders, and their latest events. */
export type AuthorityRecord = {
  roles: readonly RoleHolder[]
  /** Oldest first, since about a day before the relay started. */
  events: readonly AuthorityEvent[]
}

/** An event in words, for people: what happened, and to whom. */
export function authorityText({ kind, role, account, resolutionBps, effectiveAt }: AuthorityEvent): string {
  const who = role === null ? '' : ` ${role.replace('_', ' ')}`
  const price = resolutionBps === null ? '' : ` $${(resolutionBps / 100).toFixed(2)}`
  const from = effectiveAt === null ? '' : ` from ${new Date(effectiveAt * 1_000).toISOString().slice(0, 16)}Z`
  return `${kind.replaceAll('_', ' ')}:${who}${account === null ? '' : ` ${account}`}${price}${from}`.replace(/:$/, '')
}
