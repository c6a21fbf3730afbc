import { type Backoff, withRetry } from '@rfqctl/lib/retry'
import { connectSigner } from '../adapters/signer/client.ts'
import type { ResolutionSigner } from '../core/ports/chain.ts'
import type { Clock, Log } from '../core/ports/runtime.ts'

/** Longest wait for a signer process that may be starting beside this one. */
const START_MS = 30_000
const BACKOFF: Backoff = { firstMs: 100, mostMs: 1_000 }

/** System errors when nothing listens at a socket: its file is missing, or left over from a process that ended. */
const SILENT = new Set(['ENOENT', 'ECONNREFUSED'])

/**
 * Connects to the signer process at `socket`, retrying for at most 30 s, since both may start together. Fails with
 * `signer_unavailable`, or with what `sleep` (milliseconds) rejects with.
 */
export function openSigner(
  socket: string,
  { clock, log, sleep }: { clock: Pick<Clock, 'now'>; log: Log; sleep: (ms: number) => Promise<unknown> },
): Promise<ResolutionSigner> {
  const until = clock.now() + START_MS
  let isAwaited = false
  const isRetryable = (fault: unknown): boolean => {
    const { cause } = fault as Error & { cause?: NodeJS.ErrnoException }
    if (!SILENT.has(cause?.code ?? '') || clock.now() >= until) return false
    if (!isAwaited) log.warn('signer_awaited', { path: socket, hint: 'start it: rfqctl signer serve' })
    isAwaited = true
    return true
  }
  return withRetry(() => connectSigner(socket), { backoff: BACKOFF, isRetryable, sleep })
}
