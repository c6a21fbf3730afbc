import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createLogClient, type LogClient, RelayError, RelayUnreachableError } from '@rfqctl/client/index'
import { isExtension } from '@rfqctl/client/transparency'
import { CliError } from '@rfqctl/lib/cli-error'
import { sha256, verifyEd25519 } from '@rfqctl/lib/ed25519'
import { readPrivateJson, writePrivateJson } from '@rfqctl/lib/private-file'
import {
  type Checkpoint,
  encodeVerifierKey,
  openCheckpoint,
  type VerifierKey,
} from '@rfqctl/protocol/domain/checkpoint'
import { safeText } from '@rfqctl/protocol/domain/safe-text'
import type { Cli, Run } from '../cli.ts'
import { runFor } from '../context/run-for.ts'
import { dataDirOf, type RelayOptions, relayUrl } from '../context/targets.ts'
import { noLog } from './no-log.ts'
import { keyOf } from './verify.ts'

type Options = RelayOptions & { logKey?: string; every: number; for?: number }

/** The log as it was seen last: its keys, and the newest signed checkpoint. */
type Seen = { keys: readonly string[]; checkpoint: string }

/** Looks at the log again and again, and keeps the newest checkpoint for the next run. Ends with both when the log has two histories. */
export const run: Run<Options> = async (cli, options) => {
  const url = relayUrl(cli, options)
  const log = createLogClient({ url })
  const path = join(dataDirOf(cli, options), 'monitor', `${Buffer.from(url).toString('base64url')}.json`)
  let seen = readPrivateJson<Seen>(path)
  await runFor(options.for ?? null, cli.stop, async (signal) => {
    for (;;) {
      const newest = await look(cli, { url, log, options, seen, signal })
      if (newest !== null && newest.checkpoint !== seen?.checkpoint) {
        writePrivateJson(path, newest)
        seen = newest
      }
      await delay(options.every, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  })
}

/** Null: the log is empty or cannot be reached now. */
async function look(
  cli: Cli,
  {
    url,
    log,
    options,
    seen,
    signal,
  }: { url: string; log: LogClient; options: Options; seen: Seen | null; signal: AbortSignal },
): Promise<Seen | null> {
  try {
    const keys = options.logKey === undefined ? await keysOf(log, seen, signal) : [options.logKey]
    const checkpoint = await log.getCheckpoint({ signal })
    if (checkpoint === seen?.checkpoint) return seen
    const opened = openOrThrow(checkpoint, keys.map(keyOf))
    if (seen !== null && (await isOlder(url, { seen, checkpoint, keys, signal }))) return seen
    const { origin, size } = opened
    cli.out.print({ type: 'checkpoint', origin, size, checkpoint }, `${safeText(origin)}: ${size} leaves`)
    return { keys, checkpoint }
  } catch (fault) {
    if (fault instanceof RelayUnreachableError || (fault instanceof RelayError && fault.code !== 'unexpected_answer')) {
      cli.out.note(`not seen: ${safeText(fault.message)}`)
      return null
    }
    throw fault
  }
}

/** The keys of the first look count. A further one comes in with a checkpoint that a known one has signed, too: that is a rotation. */
async function keysOf(log: LogClient, seen: Seen | null, signal: AbortSignal): Promise<readonly string[]> {
  const named = await log.getKeys({ signal })
  if (seen === null && named.length === 0) throw noLog()
  if (seen === null) return named
  const known = seen.keys.filter((key) => named.includes(key))
  return known.length === 0 ? seen.keys : named
}

/** Whether a checkpoint is of a smaller tree than the one that was seen, as a cache may have it. Throws unless one extends the other. */
async function isOlder(
  url: string,
  { seen, checkpoint, keys, signal }: { seen: Seen; checkpoint: string; keys: readonly string[]; signal: AbortSignal },
): Promise<boolean> {
  const former = openOrThrow(seen.checkpoint, seen.keys.map(keyOf))
  const latter = openOrThrow(checkpoint, keys.map(keyOf))
  // A new key counts once one that was known has signed beside it.
  openOrThrow(checkpoint, seen.keys.map(keyOf))
  const [first, second] = former.size <= latter.size ? [former, latter] : [latter, former]
  const isOne = former.origin === latter.origin && (await isExtension({ url, sha256, signal }, { first, second }))
  if (isOne) return latter.size < former.size
  throw new CliError('the log has two histories', {
    code: 'not_verified',
    why: [
      `nothing proves that the checkpoints of ${former.size} leaves, which was seen before, and of ${latter.size} leaves, seen now, are of one log`,
    ],
    hint: 'keep both: with the key that signed them they show it to others',
    data: { seen: seen.checkpoint, now: checkpoint },
  })
}

function openOrThrow(note: string, keys: readonly VerifierKey[]): Checkpoint {
  const opened = openCheckpoint(note, { keys, verify: verifyEd25519 })
  if (!('problem' in opened)) return opened.checkpoint
  const known = keys.map(encodeVerifierKey)
  throw new CliError('the checkpoint of the log is not signed', {
    code: 'not_verified',
    why: [opened.problem],
    data: { note, known },
  })
}
