import { nextVersion, type ProtectionState } from '@rfqctl/protocol/domain/maker-protections'
import type { Store } from '../../core/ports/store.ts'
import { decodeProtections, decodeTrip, encode } from './codec.ts'
import type { StoreBase } from './db.ts'
import type { Rows } from './tables.ts'

type Row = Rows['protections']

/** The counted acceptances of windows are in the journal. */
export function createProtections({ clock, db }: StoreBase): Store['protections'] {
  /** Writes a row, and restarts the count where it says so; a failed write changes nothing. */
  async function write(
    makerId: string,
    make: (former: Row | undefined, now: number) => { row: Row; countsAgain: boolean } | null,
  ): Promise<ProtectionState | null> {
    let putBack = () => {}
    try {
      return await db.change((draft) => {
        const former = draft.get('protections', makerId)
        const made = make(former, clock.now())
        if (made === null) return null
        const { row, countsAgain } = made
        if (countsAgain) putBack = db.journal.counted.clear(makerId)
        draft.set('protections', makerId, row)
        return stateOf(row)
      })
    } catch (fault) {
      putBack()
      throw fault
    }
  }

  return {
    put: async (makerId, protections) => {
      const state = await write(makerId, (former, now) => {
        const countsAgain = former === undefined || former.protections.windows.length === 0
        const version = nextVersion(former?.version ?? 0, now)
        const countedFrom = countsAgain ? now : former.countedFrom
        const row = { makerId, version, protections: encode(protections), trip: former?.trip ?? null, countedFrom }
        return { row, countsAgain }
      })
      return state as ProtectionState
    },
    reset: (makerId) =>
      write(makerId, (former, now) => {
        if (former === undefined) return null
        return {
          row: { ...former, version: nextVersion(former.version, now), trip: null, countedFrom: now },
          countsAgain: true,
        }
      }),
    trip: (makerId, trip, { protections: version, used }) =>
      db.change((draft) => {
        const former = draft.get('protections', makerId)
        if (former?.version !== version || used !== db.journal.counted.version(makerId)) return false
        draft.set('protections', makerId, { ...former, version: nextVersion(version, clock.now()), trip: encode(trip) })
        return true
      }),
    find: async (makerId) => {
      const row = db.tables().protections.get(makerId)
      return row === undefined ? null : stateOf(row)
    },
    list: async () => [...db.tables().protections.values()].map(stateOf),
  }
}

export const stateOf = ({ makerId, version, protections, trip }: Row): ProtectionState => ({
  makerId,
  version,
  protections: decodeProtections(protections),
  trip: trip === null ? null : decodeTrip(trip),
})
