import assert from 'node:assert/strict'
import { createMaker } from '../../kit/maker.ts'
import type { HonestPair } from '../lab/honest.ts'
import type { Target } from '../lab/target.ts'

/** An order is answered again as long as it can be filled; a little less than that, in milliseconds. */
const FILLABLE_MS = 100_000

/** What is over is remembered for so long; a little less than that, in milliseconds. */
const REMEMBERED_MS = 14 * 60_000

/** How much of its history a maker reads at once. */
const PAGE = 100

/** Fails unless a relay that was started again knows everything that the one before it has answered by 200. */
export async function assertKept(target: Target, { promised, maker }: HonestPair): Promise<void> {
  const { service } = target
  const executions = new Set(await history(target, maker))
  for (const promise of promised) {
    const { requestId, takerSecret, at } = promise
    const headers = { 'x-taker-secret': takerSecret }
    const polled = await service.call('GET', `/quote-requests/${requestId}/quotes`, { headers })
    if (Date.now() - at < REMEMBERED_MS) assert.equal(polled.body.status, promise.kind, requestId)
    if (promise.kind === 'cancelled') continue
    assert(executions.has(requestId), `the maker's history misses ${requestId}`)
    const { status, body } = await target.operator(`/ops/v1/audit/${requestId}`)
    assert.equal(status, 200, `the audit log of ${requestId} is gone`)
    assert.match(JSON.stringify(body), /confirmed/)
    if (Date.now() - at > FILLABLE_MS) continue
    const commit = { wallet: promise.wallet, limitPrice: 0.12 }
    const again = await service.call('POST', `/quote-requests/${requestId}/commit`, { body: commit, headers })
    assert.equal(again.status, 200, again.text)
    assert.equal((again.body.execution as { execution_id: string }).execution_id, promise.executionId)
  }
}

/** The requests of all trades that a maker has confirmed. */
async function history({ ready }: Target, former: HonestPair['maker']): Promise<unknown[]> {
  const maker = createMaker(ready, former, former.wallet)
  const found: unknown[] = []
  let query = `?status=confirmed&limit=${PAGE}`
  for (;;) {
    const { status, body, text } = await maker.call<{
      executions: Record<string, unknown>[]
      nextCursor?: string | null
    }>('GET', `/v1/mm/executions${query}`)
    assert.equal(status, 200, text)
    found.push(...body.executions.map((one) => one.requestId ?? one.request_id))
    if (body.nextCursor == null) return found
    query = `?status=confirmed&limit=${PAGE}&cursor=${encodeURIComponent(body.nextCursor)}`
  }
}
