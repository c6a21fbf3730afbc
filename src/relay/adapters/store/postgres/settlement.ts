import type { PricePoint } from '@rfqctl/protocol/domain/twap'
import type { Escalation, PinnedResolution, Store } from '../../../core/ports/store.ts'
import type { Database } from './database.ts'

/** The first resolution and the first escalation of a series count. */
export function createSettlement({ query }: Database): Pick<Store, 'resolutions' | 'prices'> {
  async function find(seriesId: string): Promise<PinnedResolution | null> {
    const [row] = await query<{ body: PinnedResolution }>('select body from resolutions where series_id = $1', [
      seriesId,
    ])
    return row?.body ?? null
  }

  return {
    resolutions: {
      find,
      pin: async (resolution) => {
        const { seriesId } = resolution
        await query('insert into resolutions values ($1, $2) on conflict do nothing', [seriesId, resolution])
        const standing = await find(seriesId)
        if (standing === null) throw new Error(`the resolution of ${seriesId} is gone`)
        return standing
      },
      escalate: async (escalation) => {
        const { seriesId, at } = escalation
        await query('insert into escalations values ($1, $2, $3) on conflict do nothing', [seriesId, at, escalation])
      },
      findEscalation: async (seriesId) => {
        const [row] = await query<{ body: Escalation }>('select body from escalations where series_id = $1', [seriesId])
        return row?.body ?? null
      },
      listEscalated: async () => {
        const rows = await query<{ body: Escalation }>(
          'select body from escalations e where not exists (select from resolutions r where r.series_id = e.series_id) order by at',
        )
        return rows.map(({ body }) => body)
      },
    },
    prices: {
      record: async (yesTokenId, { t, p }) => {
        await query('insert into price_points values ($1, $2, $3) on conflict do nothing', [yesTokenId, t, p])
      },
      between: (yesTokenId, from, to) =>
        query<PricePoint>('select t, p from price_points where yes_token_id = $1 and t between $2 and $3 order by t', [
          yesTokenId,
          from,
          to,
        ]),
    },
  }
}
