import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSystemClock } from '../../../../src/relay/adapters/clock.ts'
import { createFileStore } from '../../../../src/relay/adapters/store/file.ts'
import type { Store } from '../../../../src/relay/core/ports/store.ts'
import { newFolder, removeFolder } from '../../../kit/folder.ts'
import { anAcceptance, aRequest, SIGNATURE } from '../../../ports/store.fixtures.ts'
import { createFakeLog } from '../../../support/fake-log.ts'

/** 100,000 by `npm run deep`, which also looks at the time that a change takes. */
const REQUESTS = Number(process.env.RFQCTL_STORE_REQUESTS ?? 1_000)
const IS_DEEP = REQUESTS >= 100_000

/** Takers that trade at the same time. */
const TAKERS = 20

const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024
const MAX_P99_MS = 50

const clock = createSystemClock()

/** Lives one request to its end, most of them without a trade, and returns how long opening it took, in milliseconds. */
async function live(store: Store, i: number): Promise<number> {
  const request = aRequest(clock.now())
  const acceptance = anAcceptance(request, { now: clock.now() })
  const begun = performance.now()
  await store.requests.insert(request)
  const tookMs = performance.now() - begun
  await store.allotNonce(request.requestId, acceptance.order.maker)
  if (i % 3 > 0) {
    await store.requests.close(request.requestId, 'expired')
    return tookMs
  }
  await store.acceptances.insert(acceptance)
  await store.acceptances.confirm(acceptance.acceptanceId, { executionId: request.requestId, signature: SIGNATURE })
  return tookMs
}

it('the embedded store stays small and quick, however many requests it has seen (fault F7)', {
  timeout: 120_000 + REQUESTS * 20,
}, async () => {
  const folder = newFolder()
  const store = await createFileStore({ dir: folder, clock, log: createFakeLog() })
  const times: number[] = []
  for (let i = 0; i < REQUESTS; i += TAKERS) {
    times.push(...(await Promise.all(Array.from({ length: TAKERS }, (_, taker) => live(store, i + taker)))))
  }
  await store.close()
  expect((await stat(join(folder, 'store.json'))).size).toBeLessThan(IS_DEEP ? MAX_DOCUMENT_BYTES : 64 * 1024)
  times.sort((a, b) => a - b)
  // Time is looked at only where nothing else runs beside.
  if (IS_DEEP) expect(times[Math.floor(times.length * 0.99)]).toBeLessThan(MAX_P99_MS)
  removeFolder(folder)
})
