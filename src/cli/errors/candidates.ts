import { CANDIDATE_OUTCOMES, type CandidateOutcome } from '@rfqctl/protocol/domain/commit'
import { safeText } from '@rfqctl/protocol/domain/safe-text'

const WORDS: Record<CandidateOutcome, string> = {
  missed: 'did not sign in time',
  declined: 'declined',
  unreachable: 'had no socket open',
  insolvent: 'cannot pay',
  withdrawn: 'is held back, and its quote is withdrawn',
  too_large: 'offers more than the series can hold',
  unproven: 'is not asked without a proof of the wallet',
}

/** Why each maker of a failed commit did not sign; empty where the refusal names none. */
export function candidateLines({ candidates }: Readonly<Record<string, unknown>>): string[] {
  if (!Array.isArray(candidates)) return []
  return candidates.flatMap((candidate: { makerId?: unknown; outcome?: unknown } | null) => {
    const { makerId, outcome } = candidate ?? {}
    if (typeof makerId !== 'string' || typeof outcome !== 'string') return []
    const known = CANDIDATE_OUTCOMES.find((name) => name === outcome)
    return [`${safeText(makerId)} ${known === undefined ? safeText(outcome) : WORDS[known]}`]
  })
}
