import { attestationDigest, PROBE_ATTESTATION } from '@rfqctl/protocol/domain/attestation'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { TypedDataDomain } from '@rfqctl/protocol/domain/order'
import { normaliseSignature } from '@rfqctl/protocol/domain/signature'
import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import type { SignerAnswer, SignerQuestion } from '@rfqctl/protocol/wire/signing'
import type { Chain, Quorum, ResolutionSigner, Signatures } from '../../core/ports/chain.ts'
import type { Log, LogFields } from '../../core/ports/runtime.ts'
import type { AskSigner } from './client.ts'

/** A process that holds one of the keys; `path` is its socket. */
export type Member = { path: string; ask: AskSigner }

/**
 * How a member answered: it signed, or not: by its own limits, because it could not, not in time, or at all. `wrong`: what
 * it gave is no signature of its key; `foreign`: that key is none of the active contract.
 */
export const MEMBER_OUTCOMES = [
  'signed',
  'refused',
  'unavailable',
  'silent',
  'unreachable',
  'wrong',
  'foreign',
] as const

export type MemberOutcome = (typeof MEMBER_OUTCOMES)[number]

/** Number of such answers of a member, from the start on. */
export type MemberStats = { path: string; outcome: MemberOutcome; count: number }

/** For `signed` the reason is its key. */
export type MemberAnswer = { path: string; outcome: MemberOutcome; reason: string }

type Answer = { outcome: MemberOutcome; reason: string; signature: { key: Address; bytes: Hex } | null }

/**
 * Several processes, each with a key and a judgement of its own, sign together for the active signer of the core, a
 * contract that names its keys and how many of them it needs. All are asked at once; the answer is there as soon as enough
 * have signed, so that no one else delays it, and an error as soon as enough no longer can. A process that is back is used
 * again, and so are the keys of another contract once that is active.
 */
export function createQuorumSigner(parts: {
  members: readonly Member[]
  chain: Pick<Chain, 'resolutionSigner' | 'quorumOf'>
  signatures: Signatures
  /** The active signer at the start. */
  address: Address
  log: Pick<Log, 'info' | 'warn'>
}): {
  signer: ResolutionSigner
  stats: () => readonly MemberStats[]
  /** Answers of each to a probe, in their order, once all have answered or were waited for. */
  survey: (domain: TypedDataDomain) => Promise<{ quorum: Quorum; answers: readonly MemberAnswer[] }>
} {
  const { members, chain, signatures, address, log } = parts
  const counts = new Map(
    members.map(({ path }) => [path, new Map<MemberOutcome, number>(MEMBER_OUTCOMES.map((outcome) => [outcome, 0]))]),
  )
  const watch = createOutcomeWatch(log)

  async function readQuorum(freshness: 'cached' | 'latest'): Promise<Quorum> {
    const active = await chain.resolutionSigner(freshness)
    const quorum = active === null ? null : await chain.quorumOf(active, freshness)
    if (quorum !== null) return quorum
    const detail = `The core accepts attestations of ${active}, which names no keys that sign together.`
    throw new RfqError('signer_not_in_office', { detail })
  }

  async function answerOf({ path, ask }: Member, asked: { question: SignerQuestion; digest: Hex; quorum: Quorum }) {
    const { question, digest, quorum } = asked
    const answer = await ask(question).then(
      (given) => judge(given, { digest, quorum }, signatures),
      (fault: unknown): Answer => ({ ...failureOf(fault), signature: null }),
    )
    const { outcome, reason } = answer
    const ofMember = counts.get(path)
    ofMember?.set(outcome, (ofMember.get(outcome) ?? 0) + 1)
    const seriesId = question.ask === 'sign' ? { seriesId: question.attestation.seriesId } : {}
    watch(`${question.ask} ${path}`, outcome, { path, code: outcome, reason, ...seriesId })
    return answer
  }

  /** Resolves with the signatures of as many keys as are needed, in ascending order of the keys. */
  function collect(question: SignerQuestion, digest: Hex, quorum: Quorum): Promise<Hex> {
    const { threshold } = quorum
    return new Promise((resolve, reject) => {
      const signed = new Map<Address, Hex>()
      const answers: (MemberOutcome | null)[] = members.map(() => null)
      const check = () => {
        const waiting = answers.filter((outcome) => outcome === null).length
        if (signed.size >= threshold) resolve(joined(signed, threshold))
        else if (signed.size + waiting < threshold) reject(tooFew(answers, quorum))
      }
      for (const [index, member] of members.entries()) {
        answerOf(member, { question, digest, quorum })
          .then(({ outcome, signature }) => {
            answers[index] = outcome
            if (signature !== null) signed.set(signature.key, signature.bytes)
            check()
          })
          .catch(reject)
      }
      check()
    })
  }

  return {
    signer: {
      address,
      isQuorum: true,
      sign: async (request) =>
        collect(
          { ask: 'sign', ...request },
          attestationDigest(request.attestation, request.domain),
          await readQuorum('latest'),
        ),
      probe: async (domain) =>
        collect({ ask: 'probe', domain }, attestationDigest(PROBE_ATTESTATION, domain), await readQuorum('cached')),
    },
    survey: async (domain) => {
      const quorum = await readQuorum('latest')
      const asked = {
        question: { ask: 'probe', domain },
        digest: attestationDigest(PROBE_ATTESTATION, domain),
        quorum,
      } as const
      const answers = await Promise.all(
        members.map(async (member) => {
          const { outcome, reason } = await answerOf(member, asked)
          return { path: member.path, outcome, reason }
        }),
      )
      return { quorum, answers }
    },
    stats: () =>
      [...counts].flatMap(([path, outcomes]) =>
        [...outcomes].map(([outcome, count]): MemberStats => ({ path, outcome, count })),
      ),
  }
}

/** Trusts nothing of an answer but a signature that recovers to a key of the contract. */
async function judge(
  { address, signature, refusal }: SignerAnswer,
  { digest, quorum }: { digest: Hex; quorum: Quorum },
  { recover }: Signatures,
): Promise<Answer> {
  if (refusal !== null) {
    const outcome = refusal.code === 'signer_refused' ? 'refused' : 'unavailable'
    return { outcome, reason: refusal.detail, signature: null }
  }
  const bytes = signature === null ? null : normaliseSignature(signature)
  // Numbers that are no signature may be refused by a fault.
  const key = bytes === null ? null : await recover(digest, bytes).catch(() => null)
  if (bytes === null || key === null) return { outcome: 'wrong', reason: 'it gave no signature', signature: null }
  if (quorum.keys.includes(key)) return { outcome: 'signed', reason: key, signature: { key, bytes } }
  return key === address
    ? { outcome: 'foreign', reason: `${key} is not a key of the active signer`, signature: null }
    : { outcome: 'wrong', reason: `its signature is not of ${address}`, signature: null }
}

function failureOf(fault: unknown): { outcome: MemberOutcome; reason: string } {
  const { code, message } = fault as NodeJS.ErrnoException
  if (code === 'ETIMEDOUT' || code === 'chain_unavailable') return { outcome: 'silent', reason: 'it does not answer' }
  // An answer came that cannot be read.
  if (fault instanceof RfqError) return { outcome: 'wrong', reason: message }
  return { outcome: 'unreachable', reason: message }
}

function joined(signed: ReadonlyMap<Address, Hex>, threshold: number): Hex {
  const ascending = [...signed].sort(([a], [b]) => (BigInt(a) < BigInt(b) ? -1 : 1)).slice(0, threshold)
  return `0x${ascending.map(([, bytes]) => bytes.slice(2)).join('')}`
}

const WORDS: Readonly<Record<MemberOutcome, string>> = {
  signed: 'signed',
  refused: 'refused',
  unavailable: 'could not sign',
  silent: 'did not answer in time',
  unreachable: 'is not there',
  wrong: 'gave a wrong signature',
  foreign: 'has another key',
}

/** Names members by their places in the list of sockets: callers of the API shall not learn paths of the machine. */
function tooFew(answers: readonly (MemberOutcome | null)[], { threshold }: Quorum): RfqError {
  const told = answers.map(
    (outcome, index) => `signer ${index + 1} ${outcome === null ? 'has not answered' : WORDS[outcome]}`,
  )
  const detail = `${threshold} of ${answers.length} signers have to sign: ${told.join(', ')}.`
  const canSign = (hindrance: MemberOutcome) => answers.filter((outcome) => outcome !== hindrance).length >= threshold
  if (!canSign('foreign')) return new RfqError('signer_not_in_office', { detail })
  return new RfqError(canSign('refused') ? 'signer_unavailable' : 'signer_refused', { detail })
}

/** Logs what a member does differently than the last time it was asked the same, and nothing of one that signs from the first. */
function createOutcomeWatch(log: Pick<Log, 'info' | 'warn'>) {
  const last = new Map<string, MemberOutcome>()
  return (of: string, outcome: MemberOutcome, fields: LogFields): void => {
    const before = last.get(of) ?? 'signed'
    last.set(of, outcome)
    if (outcome === before) return
    if (outcome === 'signed') log.info('signer_back', fields)
    else log.warn('signer_failed', fields)
  }
}
