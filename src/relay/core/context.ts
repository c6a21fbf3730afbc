import type { AuditFact } from '@rfqctl/protocol/domain/audit'
import type { BackgroundTasks } from './background-tasks.ts'
import type { Blocklist } from './blocklist.ts'
import type { KeyedQueue } from './keyed-queue.ts'
import type { ProtectionGuard } from './maker-protections.ts'
import type { MakerRecords } from './maker-records.ts'
import type { OrderDigests } from './order-digests.ts'
import type { Patience } from './patience.ts'
import type { Ports, RelaySettings } from './ports/ports.ts'
import type { ProvenMakers } from './proven-makers.ts'
import type { QuoteExpiries } from './quote-expiries.ts'
import type { SignatureChecks } from './signature-checks.ts'
import type { StandingCommits } from './standing-commits.ts'
import type { UnprovenOrders } from './unproven-orders.ts'

export type Context = Ports & {
  settings: RelaySettings
  background: BackgroundTasks
  digests: OrderDigests
  checks: SignatureChecks
  proven: ProvenMakers
  unproven: UnprovenOrders
  patience: Patience
  records: MakerRecords
  expiries: QuoteExpiries
  standingCommits: StandingCommits
  blocks: Blocklist
  protections: ProtectionGuard
  /** Orders of a wallet are stored one after the other. */
  walletTurns: KeyedQueue
}

export function record({ audit, clock }: Pick<Context, 'audit' | 'clock'>, requestId: string, fact: AuditFact): void {
  audit.record({ at: clock.now(), requestId, ...fact })
}
