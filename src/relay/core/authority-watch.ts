import { authorityText } from '@rfqctl/protocol/domain/authority'
import type { Context } from './context.ts'

/** Reads who may do what on chain and logs what is new: no one uses these rights every day. Nothing without a chain. */
export async function watchAuthority({ authority, log }: Pick<Context, 'authority' | 'log'>): Promise<void> {
  if (authority === null) return
  const { news } = await authority.read()
  for (const event of news) {
    const { kind, seriesId } = event
    log.warn('authority_used', { code: kind, reason: authorityText(event), ...(seriesId === null ? {} : { seriesId }) })
  }
}
