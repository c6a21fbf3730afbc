import type { Maker } from '../../conformance/harness/maker.ts'
import type { History } from './history.ts'

type Page = { executions: { requestId: string; quoteId: string; status: string }[]; nextCursor: string | null }

/** How all quotes of a maker ended, as it can read for itself (decision Q10). */
export async function readEndings(maker: Maker): Promise<History['outcomes'][number]> {
  const endings: Page['executions'] = []
  let cursor: string | null = null
  do {
    const path: string = cursor === null ? '' : `?cursor=${cursor}`
    const { body } = await maker.call<Page>('GET', `/v1/mm/executions${path}`)
    endings.push(...body.executions)
    cursor = body.nextCursor
  } while (cursor !== null)
  return { makerId: maker.makerId, endings }
}
