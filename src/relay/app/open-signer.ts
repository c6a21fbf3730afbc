import { type Backoff, withRetry } from '@rfqctl/lib/retry'
import { connectSigner } from '../adapters/signer/client.ts'
import type { ResolutionSigner } from '../core/ports/chain.ts'
import type { Clock, Log } from '../core/ports/runtime.ts'

/** How long a process that may be starting beside this one is waited for, in milliseconds. */
const START_MS = 30_000
const BACKOFF: Backoff = { firstMs: 100, mostMs: 1_000 }

/** System errors that say that no one listens at a socket: its file is not there, or a process that ended left it. */
const SILENT = new Set(['ENOENT', 'ECONNREFUSED'])

/**
 * The process at `socket` that signs resolutions. It is waited for, 30 s at most, since both may start together. Fails with
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
