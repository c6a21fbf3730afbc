/** Sent by a person, by the parent process, or by a terminal that closes. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

export type StopReason = { kind: 'signal'; signal: StopSignal } | { kind: 'fault'; fault: unknown }

export const stopped = (stop: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (stop.aborted) return resolve()
    stop.addEventListener('abort', () => resolve(), { once: true })
  })

/** For commands that cannot finish by then. */
export function assertRunning(stop: AbortSignal): void {
  if (stop.aborted) throw new DOMException('stopped', 'AbortError')
}
