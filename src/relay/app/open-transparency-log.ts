import type { CleanupStack } from '@rfqctl/lib/cleanup-stack'
import { repeat } from '@rfqctl/lib/repeat'
import { openKeys } from '../adapters/transparency/keys.ts'
import { createOpenings, createReconciler } from '../adapters/transparency/reconcile.ts'
import { createTransparencyLog } from '../adapters/transparency/transparency-log.ts'
import type { Clock, Log } from '../core/ports/runtime.ts'
import type { OpenStore } from './open-store.ts'

/** Between two looks for promises that another node could not enter, in milliseconds. */
const RECONCILE_MS = 10_000

/** Opens the transparency log beside a store. It has each promise of the store, also of a run that was cut off. */
export async function openTransparencyLog({
  opened,
  tools: { clock, log },
  cleanup,
}: {
  opened: OpenStore
  tools: { clock: Clock; log: Log }
  cleanup: CleanupStack
}) {
  const { store, shared, openLog } = opened
  const { storage, keys } = await openLog()
  const transparency = createTransparencyLog({
    storage,
    keys: openKeys(keys),
    openingOf: createOpenings(store),
    clock,
    log,
  })
  cleanup.defer(transparency.close)
  const findMissing = createReconciler({ store, storage, clock })

  async function reconcile(isAlone: boolean): Promise<void> {
    for (const entry of await findMissing({ isAlone })) transparency.add(entry)
  }

  if (shared !== null)
    cleanup.defer(
      repeat(
        { clock, log },
        { event: 'transparency_log_failed', pauseMs: RECONCILE_MS, work: () => reconcile(false), first: 'later' },
      ),
    )
  else {
    await transparency.advance()
    await reconcile(true)
  }
  return transparency
}
