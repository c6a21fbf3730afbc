import type { AuditEntry, Contracts, SeenQuote, Usd6 } from '@rfqctl/client/index'
import { parseVerifierKey, type VerifyEd25519 } from '@rfqctl/protocol/domain/checkpoint'
import type { Sha256 } from '@rfqctl/protocol/domain/merkle-tree'
import { type Verified, verifyTranscript } from '@rfqctl/protocol/domain/transcript'
import { decodeTranscript } from '@rfqctl/protocol/wire/transcript'
import { sha256 as viemSha256 } from 'viem/utils'

/** A quote of the last look of the commit at its quotes, in the order of their ranks, and what came of it. */
export type FoundQuote = {
  makerId: string
  price: Usd6
  size: Contracts
  isFirm: boolean
  fate: 'signed' | 'declined' | 'missed' | 'passed_over' | 'not_asked'
}

/** A transcript as it was verified in the browser. */
export type FoundPrice = {
  /** Sentences for what is wrong; none: the file is true. */
  problems: readonly string[]
  /** False where the browser has no Ed25519: all but the signature was verified. */
  isSignatureChecked: boolean
  /** Leaves of the log, and lines of the file. */
  size: number
  lines: number
  quotes: readonly FoundQuote[]
  file: string
}

const sha256: Sha256 = (bytes) => viemSha256(bytes, 'bytes')

/** Verifies a transcript as `rfqctl audit verify` does, against the keys that the relay names. */
export async function verifyPrice(file: string, logKeys: readonly string[]): Promise<FoundPrice> {
  const transcript = decodeTranscript(sha256, file)
  if ('problem' in transcript)
    return { problems: [transcript.problem], isSignatureChecked: true, size: 0, lines: 0, quotes: [], file }
  const trusted = logKeys.flatMap((key) => parseVerifierKey(sha256, key) ?? [])
  const { verify, isAble } = await prepareSignatures((one) =>
    verifyTranscript(transcript, { sha256, verify: one, trusted }),
  )
  const { problems, checkpoint, lines, entries, isWhole } = verifyTranscript(transcript, { sha256, verify, trusted })
  return {
    problems: isWhole ? problems : [...problems, NOT_WHOLE],
    isSignatureChecked: isAble,
    size: checkpoint?.size ?? 0,
    lines,
    quotes: quotesOf(entries),
    file,
  }
}

/** A taker gets every record, so that its ranks can be computed again. */
const NOT_WHOLE =
  'A record is not shown, or of a kind that this page does not know, so that no rank was computed again.'

type Signed = Parameters<VerifyEd25519>[0]

/**
 * Browsers verify in their own time, and the check of a transcript asks at once: a first pass finds what is to be verified. A browser
 * without Ed25519 takes each signature for a true one, and says so.
 */
async function prepareSignatures(check: (verify: VerifyEd25519) => Verified) {
  const asked: Signed[] = []
  check((signed) => {
    asked.push(signed)
    return true
  })
  const answers = await Promise.all(asked.map(verifySignature))
  const known = new Map(asked.map((signed, i) => [nameOf(signed), answers[i] ?? null]))
  const verify: VerifyEd25519 = (signed) => known.get(nameOf(signed)) ?? true
  return { verify, isAble: answers.every((answer) => answer !== null) }
}

const nameOf = ({ publicKey, signature }: Signed): string => `${publicKey} ${signature}`

/** Null: the browser cannot say. */
async function verifySignature({ publicKey, message, signature }: Signed): Promise<boolean | null> {
  try {
    const key = await crypto.subtle.importKey('raw', copyOf(publicKey), 'Ed25519', false, ['verify'])
    return await crypto.subtle.verify('Ed25519', key, copyOf(signature), copyOf(message))
  } catch {
    return null
  }
}

/** Bytes in a buffer of their own, as WebCrypto has it. */
const copyOf = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes)

function quotesOf(entries: readonly AuditEntry[]): FoundQuote[] {
  const look = entries.findLast((entry) => entry.kind === 'ranked' && entry.chosen !== null)
  const quotes: readonly SeenQuote[] = look?.kind === 'ranked' ? look.quotes : []
  return quotes.map(({ makerId, quoteId, price, size, isFirm }) => ({
    makerId,
    price,
    size,
    isFirm: isFirm === true,
    fate: fateOf(entries, quoteId),
  }))
}

/** The last thing that a commit did with a quote. */
function fateOf(entries: readonly AuditEntry[], quoteId: string): FoundQuote['fate'] {
  const last = entries.findLast(
    (entry) =>
      (entry.kind === 'confirmed' ||
        entry.kind === 'declined' ||
        entry.kind === 'missed' ||
        entry.kind === 'passed_over') &&
      entry.quoteId === quoteId,
  )
  if (last?.kind === 'confirmed') return 'signed'
  return last?.kind === 'declined' || last?.kind === 'missed' || last?.kind === 'passed_over' ? last.kind : 'not_asked'
}
