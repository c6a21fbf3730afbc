import { repeat } from '@rfqctl/lib/repeat'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Clock, Log, Stop } from '../../../core/ports/runtime.ts'
import { BIRTH_MS } from '../stream-epoch.ts'
import type { Database, Query } from './database.ts'
import { DATABASE_ID, TIMELINE } from './schema/functions.ts'

const LOOK_MS = 2_000

/** The store no longer knows a live market whose epoch of stream ids is below `lowestEpoch`. */
export type Epochs = { epoch: number; lowestEpoch: number }

const NEXT_EPOCH = `greatest(stream_epoch + 1, $1::bigint + 1, (now_ms() - ${BIRTH_MS}) / 60000)`
const EPOCHS = 'returning stream_epoch as epoch, lowest_epoch as "lowestEpoch"'

const LOWEST = 'select lowest_epoch as "lowestEpoch" from store_meta'
/** The trigger of the row puts a fresh base in the place of whatever is put there. */
const OPEN = `update store_meta set nonce_base = null, stream_epoch = ${NEXT_EPOCH} ${EPOCHS}`
const RAISE = `update store_meta set stream_epoch = ${NEXT_EPOCH} ${EPOCHS}`

/** Any update of the row triggers the store's check, which takes fresh nonces and epochs where the store went back. */
export const TOUCH = 'update store_meta set singleton = true'

/** For operators, and for losses that only a watching node can detect: takes effect once, even if several run it. */
const RENEW = 'update store_meta set written_in = null'

/**
 * A node's view of the store and its server. `flushed`: how far the log is on disk, `checkpoint`: its last checkpoint;
 * null where the server does not expose them.
 */
type Seen = {
  lowestEpoch: number
  isKnown: boolean | null
  serverStart: string
  flushed: number | null
  checkpoint: number | null
}
const FLUSHED = "pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint"
const CHECKPOINT = "(select pg_wal_lsn_diff(checkpoint_lsn, '0/0')::bigint from pg_control_checkpoint())"

/** Some managed servers do not tell of their log, or of their checkpoints: the first look that a server takes is its look. */
const LOOKS = [
  { timeline: TIMELINE, flushed: FLUSHED, checkpoint: CHECKPOINT },
  { timeline: TIMELINE, flushed: FLUSHED, checkpoint: 'null' },
  { timeline: "''", flushed: 'null', checkpoint: 'null' },
].map(
  ({ timeline, flushed, checkpoint }) => `
  select lowest_epoch as "lowestEpoch", written_by = xmin and written_in = ${DATABASE_ID} || ' ' || ${timeline} as "isKnown",
    pg_postmaster_start_time()::text as "serverStart", ${flushed} as flushed, ${checkpoint} as checkpoint
  from store_meta`,
)

/** An error of a function that a server has not, or keeps from its users. */
const isWithheld = (fault: unknown): boolean => {
  const cause = fault instanceof RfqError ? fault.cause : fault
  return cause instanceof Error && 'code' in cause && ['42883', '42501', '0A000'].includes(String(cause.code))
}

/** Looks as far as the server tells of its log. */
function createLook({ query }: Pick<Database, 'query'>): () => Promise<Seen | undefined> {
  const looks = [...LOOKS]
  return async function look() {
    try {
      return (await query<Seen>(looks[0] as string))[0]
    } catch (fault) {
      if (looks.length === 1 || !isWithheld(fault)) throw fault
      looks.shift()
      return look()
    }
  }
}

/**
 * Saved before anyone connects, so that no stream id is ever used twice (decision M1); nonces continue from a base that
 * no one has had, whatever the store has lost (decision C7). `wentBack`: this opening has detected it.
 */
export async function openEpochs({ query }: Pick<Database, 'query'>): Promise<Epochs & { wentBack: boolean }> {
  const [before] = await query<{ lowestEpoch: number }>(LOWEST)
  const [opened] = await query<Epochs>(OPEN, [0])
  const { epoch, lowestEpoch } = opened as Epochs
  return { epoch, lowestEpoch, wentBack: lowestEpoch !== before?.lowestEpoch }
}

export async function raiseEpoch({ query }: Pick<Database, 'query'>, above = 0): Promise<number> {
  const [raised] = await query<Epochs>(RAISE, [above])
  return (raised as Epochs).epoch
}

export async function readBegunEpoch({ query }: Pick<Database, 'query'>): Promise<number> {
  const [row] = await query<{ begun: number }>('select begun_epoch as begun from store_meta')
  return (row as { begun: number }).begun
}

export async function noteBegunEpoch({ query }: Pick<Database, 'query'>, epoch: number): Promise<void> {
  await query('update store_meta set begun_epoch = $1 where begun_epoch < $1', [epoch])
}

/** Gives the store nonces and epochs that no one has had, as after a restore. Safe beside running nodes. */
export async function renewStore({ query }: { query: Query }): Promise<Epochs> {
  const [renewed] = await query<Epochs>(`${RENEW} ${EPOCHS}`)
  return renewed as Epochs
}

export type OnWentBack = (lowestEpoch: number) => Promise<void>

/**
 * Checks every other second whether the store went back in time. The store itself detects a restore, a copy and a
 * promoted standby; a node detects that less is on its disk than there was.
 */
export function watchStore(
  { query }: Pick<Database, 'query'>,
  { clock, log, opened }: { clock: Clock; log: Log; opened: Epochs & { wentBack: boolean } },
) {
  const listeners = new Set<OnWentBack>()
  let known = opened.lowestEpoch
  let before: Pick<Seen, 'serverStart' | 'flushed'> | null = null
  let count = 0
  let isRenewing = false
  const lookOnce = createLook({ query })
  if (opened.wentBack) tell()

  function tell(): void {
    count += 1
    log.error('store_went_back', {
      store: 'postgres',
      hint: 'trades since then are lost to the store, and their orders can still be filled until validUntil: see "A Postgres that is restored" in docs/guides/operator/stores.md',
    })
  }

  async function look(): Promise<void> {
    const seen = await read()
    if (seen.lowestEpoch !== known) {
      isRenewing = true
      known = seen.lowestEpoch
      tell()
    }
    before = seen
    if (!isRenewing) return
    for (const listener of listeners) await listener(known)
    isRenewing = false
  }

  async function read(): Promise<Seen> {
    const seen = await lookOnce()
    if (seen === undefined) throw new RfqError('store_unavailable', { detail: 'The store is being restored.' })
    const isLess = seen.lowestEpoch === known && before !== null && isBehind(seen, before)
    if (seen.isKnown === true && !isLess) return seen
    // Only one of several nodes that detect it renews.
    await (seen.isKnown === true ? query(`${RENEW} where lowest_epoch = $1`, [known]) : query(TOUCH))
    before = null
    return read()
  }

  const stop = repeat({ clock, log }, { event: 'store_not_watched', pauseMs: LOOK_MS, work: look, first: 'later' })
  return {
    /** Refuses with `store_unavailable` from the detection until all listeners are done. */
    assertRenewed: (): void => {
      if (isRenewing)
        throw new RfqError('store_unavailable', {
          detail: 'The store went back in time, and what depends on it is rebuilt.',
        })
    },
    count: () => count,
    listen: (listener: OnWentBack): Stop => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    look,
    stop,
  }
}

/** Whether less is on the disk of a server than there was; after a restart, whether it began with less. */
function isBehind(now: Seen, before: Pick<Seen, 'serverStart' | 'flushed'>): boolean {
  const reached = now.serverStart === before.serverStart ? now.flushed : now.checkpoint
  return reached !== null && before.flushed !== null && reached < before.flushed
}
