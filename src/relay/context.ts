import type { Ports, RelaySettings } from './ports.ts'

/** What every use case is given. */
export type Context = Ports & { settings: RelaySettings }

/** Runs what nobody waits for, for instance from a timer; a fault is logged and never lost. */
export function inBackground({ log }: Pick<Context, 'log'>, event: string, work: () => Promise<unknown>): void {
  work().catch((fault: unknown) => log.error(event, { fault }))
}
