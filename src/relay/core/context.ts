import type { AuditFact } from '@rfqctl/protocol/domain/audit'
import type { Blocklist } from './blocklist.ts'
import type { ProtectionGuard } from './maker-protections.ts'
import type { MakerRecords } from './maker-records.ts'
import type { OrderDigests } from './order-digests.ts'
import type { Patience } from './patience.ts'
import type { Ports, RelaySettings } from './ports/ports.ts'
import type { Log } from './ports/runtime.ts'
import type { ProvenMakers } from './proven-makers.ts'
import type { QuoteExpiries } from './quote-expiries.ts'
import type { SignatureChecks } from './signature-checks.ts'
import type { UnprovenOrders } from './unproven-orders.ts'

/** What every use case is given. */
export type Context = Ports & {
  settings: RelaySettings
  digests: OrderDigests
  checks: SignatureChecks
  proven: ProvenMakers
  unproven: UnprovenOrders
  patience: Patience
  records: MakerRecords
  expiries: QuoteExpiries
  blocks: Blocklist
  protections: ProtectionGuard
}

/** Notes what happened to a request, now. */
export function record({ audit, clock }: Pick<Context, 'audit' | 'clock'>, requestId: string, fact: AuditFact): void {
  audit.record({ at: clock.now(), requestId, ...fact })
}

/** What no one waits for while a relay runs, by the log that it has for itself. */
const running = new WeakMap<Log, Set<Promise<unknown>>>()

/** Runs what no one waits for, for instance from a timer; a fault is logged and never lost. */
export function inBackground({ log }: Pick<Context, 'log'>, event: string, work: () => Promise<unknown>): void {
  const all = running.get(log) ?? new Set()
  running.set(log, all)
  const done = work()
    .catch((fault: unknown) => log.error(event, { fault }))
    .finally(() => all.delete(done))
  all.add(done)
}

/**
 * Resolves when what runs in the background has ended, and what it began in turn, or after `atMostMs`: what follows an answer is still
 * told while a relay shuts down, and what waits for a maker holds up nothing.
 */
export async function backgroundEnded({ log, clock }: Pick<Context, 'log' | 'clock'>, atMostMs: number): Promise<void> {
  const all = running.get(log) ?? new Set()
  let isOver = false
  let stop = () => {}
  const over = new Promise<void>((resolve) => {
    stop = clock.schedule(clock.now() + atMostMs, () => {
      isOver = true
      resolve()
    })
  })
  while (all.size > 0 && !isOver) await Promise.race([Promise.all(all), over])
  stop()
}
