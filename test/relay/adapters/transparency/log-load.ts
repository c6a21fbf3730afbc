import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { createCleanupStack } from '../../../../src/lib/cleanup-stack.ts'
import { type AuditEntry, type AuditFact, openedEntry } from '../../../../src/protocol/domain/audit.ts'
import { orderDigest } from '../../../../src/protocol/domain/order.ts'
import { createSystemClock } from '../../../../src/relay/adapters/clock.ts'
import { openStore } from '../../../../src/relay/app/open-store.ts'
import { openTransparencyLog } from '../../../../src/relay/app/open-transparency-log.ts'
import type { Log } from '../../../../src/relay/core/ports/runtime.ts'
import { anAcceptance, aQuote, aRequest, SIGNATURE } from '../../../ports/store.fixtures.ts'

/** What others were shown: written to stdout in one piece, after the store or the log answered. */
export type Shown = { kind: 'asked' | 'confirmed'; requestId: string } | { kind: 'checkpoint'; note: string }

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} }
const tell = (shown: Shown) => writeSync(1, `${JSON.stringify(shown)}\n`)
const clock = createSystemClock()
const tools = { clock, log: silent }

/** Takers that trade for ever on the folder that the command line names. */
const settings = { store: { kind: 'file', dataDir: process.argv[2] ?? '' }, bus: { kind: 'local' } }
const opened = await openStore(settings as Parameters<typeof openStore>[0], tools)
const transparency = await openTransparencyLog({ opened, tools, cleanup: createCleanupStack() })
const record = (entry: AuditEntry) => setImmediate(() => transparency.add(entry))
setInterval(async () => {
  const note = await transparency.checkpoint()
  if (note !== null) tell({ kind: 'checkpoint', note })
}, 50)
await Promise.all(Array.from({ length: 4 }, trade))

async function trade(): Promise<void> {
  const { acceptances, requests, executions } = opened.store
  for (;;) {
    const request = aRequest(clock.now())
    const { requestId } = request
    const fact = (one: AuditFact) => record({ at: clock.now(), requestId, ...one })
    await requests.insert(request)
    record(openedEntry(request, { makersConnected: 1 }))
    const quote = aQuote(request)
    fact({ kind: 'quoted', quote, isRequote: false })
    const acceptance = anAcceptance(request, { now: clock.now(), quote })
    const { acceptanceId, makerId, quoteId, order, domain, deadline } = acceptance
    const terms = { wallet: order.taker, limitPrice: null, minContracts: null, expectedQuoteId: null }
    fact({ kind: 'commit_started', terms })
    const seen = { ...quote, misses: 0, isDemoted: false, isProven: true, isConsidered: false }
    fact({ kind: 'ranked', quotes: [seen], hurriedLeft: 1, chosen: quote.quoteId })
    await acceptances.insert(acceptance)
    tell({ kind: 'asked', requestId })
    fact({ kind: 'asked', makerId, quoteId, order, deadline })
    if (Math.random() < 0.2) continue
    const executionId = randomUUID()
    await acceptances.confirm(acceptanceId, { executionId, signature: SIGNATURE })
    if ((await executions.findByRequest(requestId)) === null) continue
    tell({ kind: 'confirmed', requestId })
    fact({ kind: 'confirmed', makerId, quoteId, executionId, waitedMs: 1, orderHash: orderDigest(order, domain) })
    fact({ kind: 'closed', status: 'committed' })
  }
}
