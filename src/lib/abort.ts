/** An abort of its own that also follows a parent signal until released. */
export type LinkedAbort = { signal: AbortSignal; abort: (reason?: unknown) => void; release: () => void }

const listeners = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Runs `run` when a signal aborts, until the returned function is called. All listeners of a signal share one, because
 * Node warns of a leak beyond ten.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const runs = listeners.get(signal) ?? listen(signal)
  runs.add(run)
  return () => void runs.delete(run)
}

function listen(signal: AbortSignal): Set<() => void> {
  const runs = new Set<() => void>()
  const runAll = () => {
    for (const run of [...runs]) run()
  }
  signal.addEventListener('abort', runAll, { once: true })
  listeners.set(signal, runs)
  return runs
}

/**
 * Links a new abort to `parent`. `AbortSignal.any` would do, but under Node 20 it keeps every child of a long-lived
 * signal in memory; `release` frees it here.
 */
export function linkAbort(parent: AbortSignal | undefined): LinkedAbort {
  const controller = new AbortController()
  const follow = () => controller.abort(parent?.reason)
  if (parent?.aborted) follow()
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: parent === undefined ? () => {} : onAbort(parent, follow),
  }
}

/** Rejects with the signal's reason on abort, without waiting for the promise. */
export function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    const release = onAbort(signal, () => reject(signal.reason))
    promise.then(resolve, reject).finally(release)
  })
}
