import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import type { Address } from '../../../../src/protocol/domain/units.ts'
import { createSystemClock } from '../../../../src/relay/adapters/clock.ts'
import { createFileStore } from '../../../../src/relay/adapters/store/file.ts'
import type { Log } from '../../../../src/relay/core/ports/runtime.ts'
import { anAcceptance, aQuote, aRequest, SIGNATURE } from '../../../ports/store.fixtures.ts'

/** What the store has promised: written to stdout in one piece, after the store answered. */
export type Promised =
  | { kind: 'epoch'; epoch: number }
  | { kind: 'opened' | 'confirmed' | 'cancelled'; requestId: string }
  | { kind: 'accepted'; requestId: string; wallet: Address; nonce: number }
  | { kind: 'lost'; requestId: string; makerId: string }

/** The wallet of all makers, also of those before the last kill: its nonces must go on. */
const MAKER: Address = '0x4E83362442B8d1beC281594cEa3050c8EB01311C'

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
    await store.requests.insert(request)
    tell({ kind: 'opened', requestId })
    const nonce = await store.allotNonce(requestId, MAKER)
    if (Math.random() < 0.3 && (await store.requests.close(requestId, 'cancelled'))) {
      tell({ kind: 'cancelled', requestId })
      continue
    }
    const loser = { makerId: `loser of ${requestId}`, quoteId: randomUUID(), misses: 0 }
    store.quoters.record(requestId, loser)
    const quote = aQuote(request, { maker: MAKER })
    const acceptance = anAcceptance(request, { now: clock.now(), quote, nonce })
    await store.acceptances.insert(acceptance)
    tell({ kind: 'accepted', requestId, wallet: MAKER, nonce })
    await store.acceptances.confirm(acceptance.acceptanceId, { executionId: randomUUID(), signature: SIGNATURE })
    tell({ kind: 'confirmed', requestId })
    tell({ kind: 'lost', requestId, makerId: loser.makerId })
    const { makerId, quoteId } = loser
    store.history.reject(requestId, [{ makerId, quoteId, requestId, reason: 'another_quote_won' }])
  }
}
