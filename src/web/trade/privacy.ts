import type { Address, OpenRequestInput } from '@rfqctl/client/index'
import { MAX_NAMED_MAKERS } from '@rfqctl/protocol/domain/audience'
import type { TradeState } from './state.ts'

/** Facts that the requests of this browser keep from makers. */
export type Privacy = {
  /** Makers that hear of no request, by makerId. */
  exceptMakers: readonly string[]
  /** Whether only the maker that is asked to sign learns the wallet. */
  isBlind: boolean
}

export const NO_PRIVACY: Privacy = { exceptMakers: [], isBlind: false }

/** A makerId that a request may name. */
const MAX_NAME = 64

/** Bounds what a request may name: a longer list would be refused. */
export const boundedPrivacy = ({ exceptMakers, isBlind }: Privacy): Privacy => ({
  exceptMakers: [...new Set(exceptMakers)]
    .filter(({ length }) => length > 0 && length <= MAX_NAME)
    .slice(0, MAX_NAMED_MAKERS),
  isBlind,
})

/** Whether no further maker can be left out. */
export const isFull = ({ exceptMakers }: Privacy): boolean => exceptMakers.length >= MAX_NAMED_MAKERS

type PrivacyState = Pick<TradeState, 'privacy' | 'environment'>

/** Whether the relay knows the field of an opening; an older one would ignore it, and show the request to all makers. */
export const isKept = ({ environment }: Pick<TradeState, 'environment'>, field: 'exceptMakers' | 'blind'): boolean =>
  environment?.privateFields.includes(field) ?? false

/** The chosen privacy that the relay cannot keep, as a sentence; null if it keeps all. */
export function privacyProblem(state: PrivacyState): string | null {
  const { exceptMakers, isBlind } = state.privacy
  if (exceptMakers.length > 0 && !isKept(state, 'exceptMakers'))
    return 'This relay asks all makers, also those that you never ask. Take them off the list under More choices to ask it.'
  if (isBlind && !isKept(state, 'blind'))
    return 'This relay cannot keep your wallet from makers. Switch that off under More choices to ask it.'
  return null
}

export function assertPrivate(state: PrivacyState): void {
  const problem = privacyProblem(state)
  if (problem !== null) throw new Error(problem)
}

/** Part of every opening. Throws where the relay cannot keep what is chosen. A request that names no wallet has none to keep. */
export function privateTerms(
  state: PrivacyState,
  wallet: Address | null,
): Pick<OpenRequestInput, 'audience' | 'blind' | 'wallet'> {
  assertPrivate(state)
  const { exceptMakers, isBlind } = state.privacy
  return {
    ...(exceptMakers.length === 0 ? {} : { audience: { kind: 'except', makers: exceptMakers } }),
    ...(isBlind && wallet !== null ? { blind: true, wallet } : {}),
  }
}
