import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { createSystemClock } from '../../../src/adapters/clock.ts'
import { createFileStore } from '../../../src/adapters/store/file.ts'
import type { Log } from '../../../src/relay/ports/runtime.ts'
import { anAcceptance, aRequest, freshWallet, SIGNATURE } from '../../ports/store.fixtures.ts'

/** What the store has promised: written to stdout in one piece, after the store answered. */
export type Promised =
  | { kind: 'epoch'; epoch: number }
  | { kind: 'opened' | 'accepted' | 'confirmed' | 'cancelled'; requestId: string }
  | { kind: 'lost'; requestId: string; makerId: string }
  | { kind: 'allotted'; requestId: string; wallet: string; nonce: number }

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} }
const tell = (promised: Promised) => writeSync(1, `${JSON.stringify(promised)}\n`)

/** Several takers at once that trade for ever on the store of the folder that the command line names. */
const clock = createSystemClock()
const store = await createFileStore({ dir: process.argv[2] ?? '', clock, log: silent })
tell({ kind: 'epoch', epoch: store.epoch })
await Promise.all(Array.from({ length: 4 }, trade))

async function trade(): Promise<void> {
  for (;;) {
    const request = aRequest(clock.now())
    const { requestId } = request
    const wallet = freshWallet()
    const acceptance = anAcceptance(request, { now: clock.now() })
    await store.requests.insert(request)
    tell({ kind: 'opened', requestId })
    tell({ kind: 'allotted', requestId, wallet, nonce: await store.allotNonce(requestId, wallet) })
    if (Math.random() < 0.3 && (await store.requests.close(requestId, 'cancelled'))) {
      tell({ kind: 'cancelled', requestId })
      continue
    }
    const loser = { makerId: `loser of ${requestId}`, quoteId: randomUUID(), misses: 0 }
    store.quoters.record(requestId, loser)
    await store.acceptances.insert(acceptance)
    tell({ kind: 'accepted', requestId })
    await store.acceptances.confirm(acceptance.acceptanceId, { executionId: randomUUID(), signature: SIGNATURE })
    tell({ kind: 'confirmed', requestId })
    tell({ kind: 'lost', requestId, makerId: loser.makerId })
    const { makerId, quoteId } = loser
    store.history.reject(requestId, [{ makerId, quoteId, requestId, reason: 'another_quote_won' }])
  }
}
