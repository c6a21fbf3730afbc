import type { AuditFact } from '../domain/audit.ts'
import type { Blocklist } from './blocklist.ts'
import type { ProtectionGuard } from './maker-protections.ts'
import type { MakerRecords } from './maker-records.ts'
import type { OrderDigests } from './order-digests.ts'
import type { Ports, RelaySettings } from './ports/ports.ts'
import type { ProvenMakers } from './proven-makers.ts'
import type { QuoteExpiries } from './quote-expiries.ts'
import type { SignatureChecks } from './signature-checks.ts'

/** What every use case is given. */
export type Context = Ports & {
  settings: RelaySettings
  digests: OrderDigests
  checks: SignatureChecks
  proven: ProvenMakers
  records: MakerRecords
  expiries: QuoteExpiries
  blocks: Blocklist
  protections: ProtectionGuard
}

/** Notes what happened to a request, now. */
export function record({ audit, clock }: Pick<Context, 'audit' | 'clock'>, requestId: string, fact: AuditFact): void {
  audit.record({ at: clock.now(), requestId, ...fact })
}

/** Runs what no one waits for, for instance from a timer; a fault is logged and never lost. */
export function inBackground({ log }: Pick<Context, 'log'>, event: string, work: () => Promise<unknown>): void {
  work().catch((fault: unknown) => log.error(event, { fault }))
}
