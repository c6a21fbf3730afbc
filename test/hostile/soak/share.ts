/** How often the use of the core is looked at, in milliseconds. */
const LOOK_MS = 10

/** What a process that did little may do at once later, in milliseconds of a core. */
const MOST_SAVED_MS = 20

/**
 * Keeps this process to a share of a core at its normal priority: it works until it has used its share up, and stands still until it
 * has some again.
 */
export function keepToShare(ofCore: number): void {
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  let before = process.cpuUsage()
  let lookedAt = performance.now()
  let overMs = 0
  setInterval(() => {
    const now = performance.now()
    const { user, system } = process.cpuUsage(before)
    before = process.cpuUsage()
    overMs = Math.max(-MOST_SAVED_MS, overMs + (user + system) / 1_000 - (now - lookedAt) * ofCore)
    lookedAt = now
    if (overMs > 0) Atomics.wait(sleeper, 0, 0, overMs / ofCore)
  }, LOOK_MS).unref()
}
