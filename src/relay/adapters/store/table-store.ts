import type { Store } from '../../core/ports/store.ts'
import { createAcceptances } from './acceptances.ts'
import { createAccounts } from './accounts.ts'
import { createAllocations } from './allocations.ts'
import { createAuditLog } from './audit-log.ts'
import type { StoreBase } from './db.ts'
import { createHistory, createQuoters } from './history.ts'
import { createMakerRecords } from './maker-records.ts'
import { createOrders } from './orders.ts'
import { createProtections } from './protections.ts'
import { createRequests } from './requests.ts'
import { createSettlement } from './settlement.ts'

export function createTableStore(base: StoreBase): Store {
  const { db } = base
  return {
    epoch: db.tables().counters.get('streamEpoch') ?? 1,
    ping: db.ping,
    documentBytes: db.documentBytes,
    lostWrites: db.lostWrites,
    requests: createRequests(base),
    ...createAllocations(base),
    ...createAcceptances(base),
    orders: createOrders(base),
    quoters: createQuoters(base),
    history: createHistory(base),
    ...createSettlement(base),
    ...createAccounts(base),
    protections: createProtections(base),
    makerRecords: createMakerRecords(base),
    audit: createAuditLog(base),
    close: db.close,
  }
}
