/** An abort of one's own that also follows a parent signal, until it is released. */
export type LinkedAbort = { signal: AbortSignal; abort: (reason?: unknown) => void; release: () => void }

/**
 * Links a new abort to `parent`. `AbortSignal.any` would do, but under Node 20 it keeps every child of a long-lived
 * signal in memory; here `release` takes the listener away.
 */
export function linkAbort(parent: AbortSignal | undefined): LinkedAbort {
  const controller = new AbortController()
  const follow = () => controller.abort(parent?.reason)
  if (parent?.aborted) follow()
  parent?.addEventListener('abort', follow, { once: true })
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => parent?.removeEventListener('abort', follow),
  }
}
