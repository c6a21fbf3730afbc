import type { EndingRead, ObservationOf } from '../../invariants/observation.ts'
import type { Maker } from '../../kit/maker.ts'

type Page = { executions: EndingRead[]; nextCursor: string | null }

/** How all quotes of a maker ended, as it can read for itself (decision Q10). */
export async function readHistory(maker: Maker): Promise<ObservationOf<'history_read'>> {
  const begunAt = Date.now()
  const endings: EndingRead[] = []
  let cursor: string | null = null
  do {
    const path: string = cursor === null ? '' : `?cursor=${cursor}`
    const { body } = await maker.call<Page>('GET', `/v1/mm/executions${path}`)
    endings.push(...body.executions)
    cursor = body.nextCursor
  } while (cursor !== null)
  return { kind: 'history_read', makerId: maker.makerId, endings, begunAt }
}
