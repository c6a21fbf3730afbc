/** What a process is asked to end with: by a person, by who started it, or by a terminal that goes away. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** Why everything is told to end. */
export type StopReason = { kind: 'signal'; signal: StopSignal } | { kind: 'fault'; fault: unknown }

/** Resolves when everything is told to end. */
export const stopped = (stop: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (stop.aborted) return resolve()
    stop.addEventListener('abort', () => resolve(), { once: true })
  })

/** Throws when everything is told to end: for commands that cannot finish by then. */
export function assertRunning(stop: AbortSignal): void {
  if (stop.aborted) throw new DOMException('stopped', 'AbortError')
}
