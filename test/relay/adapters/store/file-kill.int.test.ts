import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createSystemClock } from '../../../../src/relay/adapters/clock.ts'
import { createFileStore } from '../../../../src/relay/adapters/store/file.ts'
import type { Store } from '../../../../src/relay/core/ports/store.ts'
import { newFolder, removeFolder } from '../../../kit/folder.ts'
import { compileTs } from '../../../support/compile-ts.ts'
import { createFakeLog } from '../../../support/fake-log.ts'
import { runAndKill } from '../../../support/run-and-kill.ts'
import type { Promised } from './store-load.ts'

/** More by `npm run deep`. */
const ROUNDS = Number(process.env.RFQCTL_KILL_ROUNDS ?? 8)

const ALL = { after: null, since: null, status: null, limit: 10 } as const

async function expectKept(store: Store, promised: Promised): Promise<void> {
  if (promised.kind === 'epoch') return
  const { kind, requestId } = promised
  if (kind === 'lost') {
    const told = await store.history.list({ ...ALL, makerId: promised.makerId })
    const untold = (await store.quoters.list()).get(requestId)?.filter(({ makerId }) => makerId === promised.makerId)
    expect((told?.length ?? 0) + (untold?.length ?? 0)).toBe(1)
  }
  const found = await store.requests.find(requestId)
  expect(found).not.toBeNull()
  if (kind === 'accepted') {
    const { wallet, nonce } = promised
    expect((await store.acceptances.findActive(requestId))?.order.nonce).toBe(nonce)
    if (found?.status === 'open') expect(await store.allotNonce(requestId, wallet)).toBe(nonce)
  }
  if (kind === 'confirmed') expect(await store.executions.findByRequest(requestId)).not.toBeNull()
  if (kind === 'cancelled') expect(found?.status).toBe('cancelled')
}

/** No two requests have had a maker sign the same nonce, however often the process was killed (decision C7). */
function expectOwnNonces(promised: readonly Promised[]): void {
  const accepted = promised.flatMap((each) => (each.kind === 'accepted' ? [`${each.wallet} ${each.nonce}`] : []))
  expect(new Set(accepted).size).toBe(accepted.length)
}

describe('a file store whose process is killed again and again', () => {
  it('has everything that it promised, takes over its lock and counts on', {
    timeout: 120_000 + ROUNDS * 10_000,
  }, async () => {
    const { script, remove } = await compileTs(fileURLToPath(new URL('./store-load.ts', import.meta.url)))
    const folder = newFolder()
    const clock = createSystemClock()
    const all: Promised[] = []
    let epoch = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const promised = await runAndKill<Promised>(script, folder, 10 + (round % 20) * 37)
      const store = await createFileStore({ dir: folder, clock, log: createFakeLog() })
      for (const each of promised) await expectKept(store, each)
      all.push(...promised)
      expectOwnNonces(all)
      const epochs = [epoch, ...promised.flatMap((each) => (each.kind === 'epoch' ? [each.epoch] : [])), store.epoch]
      expect(epochs).toEqual([...new Set(epochs)].sort((a, b) => a - b))
      expect(epochs.length).toBe(3)
      epoch = store.epoch
      await store.close()
    }
    removeFolder(folder)
    await remove()
  })
})
