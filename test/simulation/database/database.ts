import type { ClosedStatus } from '../../../src/protocol/domain/request.ts'
import type { Address } from '../../../src/protocol/domain/units.ts'
import { decodeAcceptance } from '../../../src/relay/adapters/store/codec.ts'
import type { Db } from '../../../src/relay/adapters/store/db.ts'
import { BIRTH_MS } from '../../../src/relay/adapters/store/stream-epoch.ts'
import { createTableStore } from '../../../src/relay/adapters/store/table-store.ts'
import type { Draft } from '../../../src/relay/adapters/store/tables.ts'
import type { Clock } from '../../../src/relay/core/ports/runtime.ts'
import type { Acceptance, Execution, Store } from '../../../src/relay/core/ports/store.ts'
import type { Random } from '../time/random.ts'
import { createLoggedDb, type Logged } from './logged-db.ts'

/** Faults that can be planted in the database. */
export type DatabaseFaults = {
  /** Nonces continue where they were after the database went back in time. */
  keepsNonces?: boolean
}

export type Epochs = { epoch: number; lowestEpoch: number }

/** What a node reads of the database's clock, as `observe_clock` answers. */
export type ClockRead = { raw: number; ahead: number; since: number }

/** A Postgres that several nodes share. Each method is one statement: it happens at once, by the clock of the database. */
export type Database = ReturnType<typeof createDatabase>

/** Milliseconds: another node has this long for its own work. */
const OVERDUE_GRACE_MS = 300
const ANNOUNCE_GRACE_MS = 1_500
const ANNOUNCED_MS = 15 * 60_000

const NONCES_OF_SECOND = 2 ** 20

export function createDatabase({
  trueTime,
  random,
  faults = {},
  watch = (statements) => statements,
}: {
  /** Unix milliseconds of the machine, before its clock is set. */
  trueTime: () => number
  random: Random
  faults?: DatabaseFaults
  /** Looks on at each statement. */
  watch?: (statements: Store) => Store
}) {
  let setBy = 0
  let ahead = 0
  let since = 0
  const raw = (): number => trueTime() + setBy
  const slewed = (machine: number): number => machine + Math.max(0, ahead - (machine - since) / 2)
  const now = (): number => Math.floor(slewed(raw()))
  const clock: Pick<Clock, 'now'> = { now }

  let log: Logged[] = []
  /** Requests that ended: those whose end is still to be announced, and the others. */
  let closed = new Map<string, Closed>()
  let announced = new Map<string, Closed & { announcedAt: number }>()
  const executions = new Map<string, string>()
  /** Quotes whose rejection is recorded: it is recorded once, whoever reports it. */
  let rejected = new Set<string>()
  let db: Db = createLoggedDb({ now, log })
  let store: Store = createTableStore({ clock, db })
  /** Another one after each restore: what was written in a former one is a copy. */
  let incarnation = 1

  const counter = (name: string): number => db.tables().counters.get(name) ?? 0
  const freshNonceBase = (): number => Math.floor(now() / 1_000) * NONCES_OF_SECOND + random.below(NONCES_OF_SECOND)

  /** Any write to the one row of `store_meta` finds out that the database went back. */
  function touch(write: (draft: Draft) => void): void {
    db.changeLater((draft) => {
      const writtenIn = draft.get('counters', 'writtenIn')
      if (writtenIn !== undefined && writtenIn !== incarnation) {
        if (faults.keepsNonces !== true) draft.set('counters', 'nonceBase', freshNonceBase())
        const epoch = Math.max(draft.get('counters', 'streamEpoch') ?? 0, Math.floor((now() - BIRTH_MS) / 60_000)) + 100
        draft.set('counters', 'streamEpoch', epoch)
        draft.set('counters', 'lowestEpoch', epoch)
      }
      draft.set('counters', 'writtenIn', incarnation)
      write(draft)
    })
  }

  function raise(draft: Draft, above: number): void {
    const former = draft.get('counters', 'streamEpoch') ?? 0
    draft.set('counters', 'streamEpoch', Math.max(former + 1, above + 1, Math.floor((now() - BIRTH_MS) / 60_000)))
  }

  const epochs = (): Epochs => ({ epoch: counter('streamEpoch'), lowestEpoch: counter('lowestEpoch') })

  function allotNonce(requestId: string, owner: Address): number {
    const wallet = owner.toLowerCase()
    if (counter('writtenIn') !== incarnation) touch(() => {})
    let allotted = 0
    db.changeLater((draft) => {
      const known = draft.get('nonces', `${requestId} ${wallet}`)
      if (known !== undefined) {
        allotted = known
        return
      }
      const base = draft.get('counters', 'nonceBase') ?? 0
      const isOfBase = draft.get('counters', `base ${wallet}`) === base
      allotted = isOfBase ? (draft.get('nonces', wallet) ?? base) : base
      draft.set('counters', `base ${wallet}`, base)
      draft.set('nonces', wallet, allotted + 1)
      draft.set('nonces', `${requestId} ${wallet}`, allotted)
    })
    return allotted
  }

  const noteClosed = (requestId: string, status: ClosedStatus, at: number): void => {
    closed.set(requestId, { status, at, place: log.length })
  }

  function noteTrade({ executionId, acceptance, executedAt }: Execution): void {
    executions.set(executionId, acceptance.requestId)
    noteClosed(acceptance.requestId, 'committed', executedAt)
  }

  /** The statements of the store, on the tables as they are now. */
  function statements(): Store {
    const { acceptances, requests } = store
    return {
      ...store,
      allotNonce: async (requestId, wallet) => allotNonce(requestId, wallet),
      requests: {
        ...requests,
        close: async (requestId, status) => {
          const createdAt = db.tables().requests.get(requestId)?.createdAt ?? 0
          const isCloser = await requests.close(requestId, status)
          if (isCloser) noteClosed(requestId, status, Math.max(now(), createdAt))
          return isCloser
        },
      },
      history: {
        ...store.history,
        reject: (requestId, rejections) => {
          const fresh = rejections.filter((one) => !rejected.has(nameOf(one)))
          for (const one of fresh) rejected.add(nameOf(one))
          store.history.reject(requestId, fresh)
        },
      },
      acceptances: {
        ...acceptances,
        insertSigned: async (...args) => {
          const made = await acceptances.insertSigned(...args)
          if (typeof made === 'object') noteTrade(made)
          return made
        },
        confirm: async (acceptanceId, signed, outstandingVersion) => {
          const made = await acceptances.confirm(acceptanceId, signed, outstandingVersion)
          if (made !== null && made !== 'outdated') noteTrade(made)
          return made
        },
      },
    }
  }

  let current = watch(statements())

  return {
    now,
    /** Runs one statement. */
    run: <Answer>(statement: (store: Store) => Answer): Answer => statement(current),
    open: (): Epochs => {
      touch((draft) => {
        draft.set('counters', 'nonceBase', freshNonceBase())
        raise(draft, 0)
      })
      return epochs()
    },
    raiseEpoch: (above: number): number => {
      touch((draft) => raise(draft, above))
      return counter('streamEpoch')
    },
    begunEpoch: (): number => counter('begunEpoch'),
    noteBegunEpoch: (epoch: number): void => {
      if (counter('begunEpoch') < epoch) touch((draft) => draft.set('counters', 'begunEpoch', epoch))
    },
    /** The row of `store_meta`, as a node looks at it, and whether it was written where it is. */
    look: () => ({ lowestEpoch: counter('lowestEpoch'), isKnown: counter('writtenIn') === incarnation }),
    touch: (): void => touch(() => {}),
    observeClock: (expected: number | null): ClockRead => {
      const machine = raw()
      if (expected !== null && expected - 1_000 > slewed(machine)) {
        ahead = expected - machine
        since = machine
      }
      return { raw: machine, ahead, since }
    },
    /** Sets the clock of the machine, by milliseconds; back where they are negative. */
    setClock: (byMs: number): void => {
      setBy += byMs
    },
    endOverdue: async (): Promise<readonly Acceptance[]> => {
      const overdue = [...db.tables().acceptances.values()].filter((row) => row.deadline + OVERDUE_GRACE_MS <= now())
      const ended: Acceptance[] = []
      for (const row of overdue)
        if (await current.acceptances.end(row.acceptanceId, 'timed_out'))
          ended.push({ ...decodeAcceptance(row), state: 'timed_out' })
      return ended
    },
    findExecution: async (executionId: string): Promise<Execution | null> => {
      const requestId = executions.get(executionId)
      const found = requestId === undefined ? null : await store.executions.findByRequest(requestId)
      return found?.executionId === executionId ? found : null
    },
    unannounced: (delayMs: number): readonly { requestId: string; status: ClosedStatus }[] => {
      const found: { requestId: string; status: ClosedStatus }[] = []
      for (const [requestId, { status, at }] of closed) {
        if (at < now() - ANNOUNCED_MS) closed.delete(requestId)
        else if (at <= now() - ANNOUNCE_GRACE_MS - delayMs) found.push({ requestId, status })
      }
      return found
    },
    announced: (requestId: string): void => {
      const end = closed.get(requestId)
      if (end === undefined) return
      closed.delete(requestId)
      announced.set(requestId, { ...end, announcedAt: log.length })
    },
    /** Where the log is now: a place to go back to. */
    place: (): number => log.length,
    /** Makes the database what it was at an earlier place of its log, as a restore or a promoted standby does. */
    restore: (place: number): void => {
      log = log.slice(0, place)
      closed = new Map([...announced, ...closed].filter(([, end]) => end.place <= place))
      announced = new Map([...announced].filter(([, { announcedAt }]) => announcedAt <= place))
      for (const requestId of announced.keys()) closed.delete(requestId)
      rejected = rejectedIn(log)
      db = createLoggedDb({ now, log })
      store = createTableStore({ clock, db })
      current = watch(statements())
      incarnation += 1
    },
  }
}

/** How a request ended and when, and at which place of the log. */
type Closed = { status: ClosedStatus; at: number; place: number }

const nameOf = ({ makerId, quoteId }: { makerId: string; quoteId: string }): string => `${makerId} ${quoteId}`

const rejectedIn = (log: readonly Logged[]): Set<string> =>
  new Set(
    log.flatMap(({ changes }) =>
      changes.appended.flatMap((row) => (row.kind === 'rejected' ? nameOf(row.rejection) : [])),
    ),
  )
