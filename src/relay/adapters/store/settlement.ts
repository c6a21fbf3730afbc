import type { Store } from '../../core/ports/store.ts'
import type { StoreBase } from './db.ts'

/** The first resolution and the first escalation of a series count. */
export function createSettlement({ db }: StoreBase): Pick<Store, 'resolutions' | 'prices'> {
  return {
    resolutions: {
      find: async (seriesId) => db.tables().resolutions.get(seriesId) ?? null,
      pin: (resolution) =>
        db.change((draft) => {
          const standing = draft.get('resolutions', resolution.seriesId)
          if (standing !== undefined) return standing
          draft.set('resolutions', resolution.seriesId, resolution)
          return resolution
        }),
      escalate: (escalation) =>
        db.change((draft) => {
          if (draft.get('escalations', escalation.seriesId) !== undefined) return
          draft.set('escalations', escalation.seriesId, escalation)
        }),
      findEscalation: async (seriesId) => db.tables().escalations.get(seriesId) ?? null,
      listEscalated: async () => {
        const { escalations, resolutions } = db.tables()
        return [...escalations.values()]
          .filter(({ seriesId }) => !resolutions.has(seriesId))
          .sort((a, b) => a.at - b.at)
      },
    },
    prices: {
      record: (yesTokenId, { t, p }) =>
        db.change((draft) => draft.append({ kind: 'priced', yesTokenId, point: { t, p } })),
      between: async (yesTokenId, from, to) =>
        db.journal
          .prices(yesTokenId)
          .filter(({ t }) => t >= from && t <= to)
          .sort((a, b) => a.t - b.t),
    },
  }
}
