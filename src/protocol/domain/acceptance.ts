import {
  activeTrip,
  countOrder,
  judgeWindows,
  type ProtectionState,
  type ProtectionTrip,
  type UsedWindow,
} from './maker-protections.ts'
import { activeSuspension, type Suspension } from './maker-record.ts'
import type { Order } from './order.ts'
import type { RequestedOption } from './request.ts'

/** Facts that decide about one more acceptance, all of one moment of the store. */
export type AcceptanceFacts = {
  /** That moment by the store's clock, Unix milliseconds. */
  now: number
  /** Whether the request is open and has no pending or confirmed acceptance. */
  isFree: boolean
  /** Version of the debt of the maker's wallet; it rises whenever the wallet may owe more. */
  owed: number
  /** Null where the maker has put none. */
  protections: ProtectionState | null
  /** The windows of the protections. */
  used: readonly UsedWindow[]
  /** Version of that use; it rises with every acceptance that is counted. */
  usedVersion: number
  /** The last suspension of the maker, also one that is over; null: there was none. */
  suspension: Suspension | null
}

/** Versions that the caller looked at before; null: it looked at none. Protections have the version 0 where there are none. */
export type SeenVersions = { owed: number | null; protections: number | null }

/** Versions on which a decision rests: its writes are made as long as all of them hold. */
export type RestsOn = {
  /** Null: the decision rests on no debt. */
  owed: number | null
  /** 0: the maker has no protections. */
  protections: number
  /** Null: the maker has no windows, and the acceptance is not counted. */
  used: number | null
  /** End of the maker's last suspension, Unix milliseconds; null: it had none. */
  suspendedUntil: number | null
}

/** An acceptance of a maker that has neither protections nor suspensions, whatever its wallet owes. */
export const UNGUARDED: RestsOn = { owed: null, protections: 0, used: null, suspendedUntil: null }

/**
 * `closed`: the request is not free. `outdated`: the wallet may owe more than the caller has seen. `protected`: the maker's
 * protections are tripped, or others than the caller has seen. `unproven`: takers without a proof have their share of a window.
 */
export type AcceptanceRefusal = 'closed' | 'outdated' | 'suspended' | 'protected' | 'unproven'

/** `accepted`: the acceptance is written. `tripped`: in its place, the trip of the window that it would have exceeded. */
export type AcceptanceDecision =
  | { kind: 'accepted'; restsOn: RestsOn }
  | { kind: 'tripped'; trip: ProtectionTrip; restsOn: RestsOn }
  | { kind: 'refused'; reason: AcceptanceRefusal }

/**
 * Decides about one more acceptance (invariants V1, V11 and V12). Time only ends what the decision rests on: a trip, a suspension,
 * the use of a window. So it holds at any later moment at which its versions do.
 */
export function decideAcceptance(
  facts: AcceptanceFacts,
  acceptance: { order: Order; option: RequestedOption; proven?: boolean },
  seen: SeenVersions,
): AcceptanceDecision {
  const { now, isFree, owed, protections, used, usedVersion, suspension } = facts
  if (!isFree) return { kind: 'refused', reason: 'closed' }
  if (seen.owed !== null && seen.owed !== owed) return { kind: 'refused', reason: 'outdated' }
  if (activeSuspension(suspension, now) !== null) return { kind: 'refused', reason: 'suspended' }
  const version = protections?.version ?? 0
  const isOther = seen.protections !== null && seen.protections !== version
  const isTripped = protections !== null && activeTrip(protections, now) !== null
  if (isOther || isTripped) return { kind: 'refused', reason: 'protected' }
  const suspendedUntil = suspension?.until ?? null
  const restsOn = { owed: seen.owed, protections: version, used: null, suspendedUntil }
  if (protections === null || used.length === 0) return { kind: 'accepted', restsOn }
  const counting = { ...restsOn, used: usedVersion }
  const verdict = judgeWindows(used, protections.protections, countOrder(acceptance, now))
  if (verdict.kind === 'unproven') return { kind: 'refused', reason: 'unproven' }
  if (verdict.kind === 'tripped') return { kind: 'tripped', trip: verdict.trip, restsOn: counting }
  return { kind: 'accepted', restsOn: counting }
}
