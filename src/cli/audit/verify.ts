import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isExtension } from '@rfqctl/client/transparency'
import { CliError } from '@rfqctl/lib/cli-error'
import { sha256, verifyEd25519 } from '@rfqctl/lib/ed25519'
import { plural } from '@rfqctl/lib/format'
import {
  type Checkpoint,
  encodeHex,
  openCheckpoint,
  parseVerifierKey,
  type VerifierKey,
} from '@rfqctl/protocol/domain/checkpoint'
import { safeText } from '@rfqctl/protocol/domain/safe-text'
import { type Transcript, type Verified, verifyTranscript } from '@rfqctl/protocol/domain/transcript'
import { decodeTranscript } from '@rfqctl/protocol/wire/transcript'
import type { Cli, Run } from '../cli.ts'

type Options = { logKey?: string; checkpoint?: string; url?: string }

/** Verifies a transcript, without the relay unless two checkpoints of different sizes are compared. */
export const run: Run<Options, [file: string]> = async (cli, options, file) => {
  const trusted = options.logKey === undefined ? [] : [keyOf(options.logKey)]
  const { transcript, verified } = verifyFile(cli, file, trusted)
  const problems = await compare(cli, options, { transcript, verified, trusted })
  if (problems.length > 0) throw notVerified(problems)
  show(cli, transcript, verified)
  noteKey(cli, trusted)
}

/** Refuses with exit code 9 a transcript that is not true. */
export function verifyFile(
  cli: Cli,
  file: string,
  trusted: readonly VerifierKey[],
): { transcript: Transcript; verified: Verified } {
  const transcript = decodeTranscript(sha256, readText(cli, file))
  if ('problem' in transcript) throw notVerified([`${file}: ${transcript.problem}`])
  const verified = verifyTranscript(transcript, { sha256, verify: verifyEd25519, trusted })
  if (verified.problems.length > 0) throw notVerified(verified.problems.map((problem) => `${file}: ${problem}`))
  return { transcript, verified }
}

export function noteKey({ out }: Cli, trusted: readonly VerifierKey[]): void {
  if (trusted.length === 0)
    out.note('The key is the one in the file: give --log-key with the key that you know the log by.')
}

export function keyOf(text: string): VerifierKey {
  const key = parseVerifierKey(sha256, text)
  if (key !== null) return key
  throw new CliError('the verifier key cannot be read', { hint: 'take it from logKeys of GET /v1/environment' })
}

const notVerified = (problems: readonly string[]): CliError =>
  new CliError('the transcript is not true', { code: 'not_verified', why: problems.map(safeText), data: { problems } })

/** Refuses with exit code 5 a file that cannot be read. */
function readText({ cwd }: Cli, file: string): string {
  try {
    return readFileSync(resolve(cwd, file), 'utf8')
  } catch (cause) {
    throw new CliError(`the file ${safeText(file)} cannot be read`, {
      code: 'not_found',
      hint: 'name a file that rfqctl audit transcript wrote',
      cause,
    })
  }
}

/** Problems of the file's checkpoint beside one that was seen elsewhere. */
async function compare(
  cli: Cli,
  options: Options,
  { transcript, verified, trusted }: { transcript: Transcript; verified: Verified; trusted: readonly VerifierKey[] },
): Promise<readonly string[]> {
  if (options.checkpoint === undefined || verified.checkpoint === null) return []
  const keys = trusted.length > 0 ? trusted : transcript.keys
  const opened = openCheckpoint(readText(cli, options.checkpoint), { keys, verify: verifyEd25519 })
  if ('problem' in opened) return [opened.problem]
  const [first, second] = [opened.checkpoint, verified.checkpoint].sort((a, b) => a.size - b.size) as [
    Checkpoint,
    Checkpoint,
  ]
  const isSizeSame = first.size === second.size
  if (!isSizeSame && options.url === undefined)
    return [
      `The checkpoints are of ${first.size} and ${second.size} leaves: give --url for the proof that one extends the other.`,
    ]
  const isSame = await isExtension({ url: options.url ?? '', sha256, signal: cli.stop }, { first, second })
  return isSame ? [] : ['The log of the file is not the one of the checkpoint that you have seen.']
}

function show({ out }: Cli, { requestId, keys }: Transcript, verified: Verified): void {
  const { lines, shown, head, isWhole, winner, omitted, unentered, unexplained, isInterrupted } = verified
  const { origin, size } = verified.checkpoint as Checkpoint
  const hashes = { head: head === null ? null : encodeHex(head), keys: keys.map(({ keyId }) => keyId) }
  out.print(
    {
      type: 'verified',
      requestId,
      origin,
      size,
      lines,
      shown,
      isWhole,
      winner,
      omitted,
      unentered,
      unexplained,
      isInterrupted,
      ...hashes,
    },
    [
      `The file is true: request ${requestId} in the log ${safeText(origin)}, at ${size} leaves.`,
      `${plural(lines, 'line')}, of which ${shown} can be read; none between them is left out. Last: ${hashes.head?.slice(0, 16)}…`,
      isWhole
        ? 'Each rank and each choice of the commits is as the rules have it.'
        : 'Ranks were not computed again: not every record is in this file, of a kind that this version knows.',
      winner === null
        ? 'No signature is shown.'
        : `${safeText(winner.makerId)} won with the quote ${safeText(winner.quoteId)}.`,
      ...(omitted === 0
        ? []
        : [
            `The relay had no room for ${omitted} more of the entries, so that ranks were not compared with what was quoted.`,
          ]),
      ...(unentered === 0
        ? []
        : [
            `${plural(unentered, 'ranked quote')} had no entry of ${unentered === 1 ? 'its' : 'their'} own to be compared with.`,
          ]),
      ...(unexplained === 0
        ? []
        : [
            `${plural(unexplained, 'quote')} had left the book without an entry that says why: the maker can tell whether it had.`,
          ]),
      ...(isInterrupted ? ['The relay started again meanwhile: what it lost by that was not compared.'] : []),
    ],
  )
}
