import { openSync } from 'node:fs'
import { createSystemClock } from '../../../../src/relay/adapters/clock.ts'
import { createFileStore } from '../../../../src/relay/adapters/store/file.ts'
import type { Log } from '../../../../src/relay/core/ports/runtime.ts'
import { aRequest } from '../../../ports/store.fixtures.ts'

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} }

/** Opens whatever may be opened, as connections would. */
function exhaust(): void {
  try {
    for (;;) openSync('/dev/null', 'r')
  } catch {}
}

/** Writes to the store of the folder that the command line names while no descriptor is left, and says how often. */
const clock = createSystemClock()
const store = await createFileStore({ dir: process.argv[2] ?? '', clock, log: silent })
await store.requests.insert(aRequest(clock.now()))
for (let i = 0; i < 20; i += 1) {
  exhaust()
  const request = aRequest(clock.now())
  await store.requests.insert(request)
  await store.requests.close(request.requestId, 'cancelled')
  store.quoters.record(request.requestId, { makerId: 'ada', quoteId: 'quote', misses: 0 })
  await store.quoters.list()
}
console.log((await store.requests.listOpen()).length)
process.exit()
