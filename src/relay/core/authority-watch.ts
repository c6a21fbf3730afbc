import { authorityText } from '@rfqctl/protocol/domain/authority'
import type { Context } from './context.ts'

/** Logs changes: these rights are not used every day. Does nothing without a chain. */
export async function watchAuthority({ authority, log }: Pick<Context, 'authority' | 'log'>): Promise<void> {
  if (authority === null) return
  const { news } = await authority.read()
  for (const event of news) {
    const { kind, seriesId } = event
    log.warn('authority_used', { code: kind, reason: authorityText(event), ...(seriesId === null ? {} : { seriesId }) })
  }
}
