import { repeat } from '@rfqctl/lib/repeat'
import { authorityText } from '@rfqctl/protocol/domain/authority'
import type { Context } from './context.ts'
import type { Markets } from './discovery.ts'
import type { Keyring } from './keyring.ts'
import type { MakerChannels } from './maker-channels.ts'
import type { OrderWatch } from './order-watch.ts'
import type { Stop } from './ports/runtime.ts'
import { recordPrices } from './recorder.ts'
import { endOverdueConfirmations, finishOrphans } from './recovery.ts'
import type { Resolver } from './resolver.ts'

/** Milliseconds, well within the 15 minutes of an attestation. */
const SWEEP_EVERY_MS = 15_000

/** Milliseconds: a revoked key's connection is closed within 30 s at worst (fault B7). */
const RECHECK_KEYS_MS = 20_000

/** Milliseconds between sweeps of the quotes of makers that cancel on disconnect; no one asks them meanwhile. */
const SWEEP_GONE_MS = 250

/** Milliseconds between looks for the work of other nodes: overdue confirmations, lost messages, everything else. */
const TAKEOVER_INTERVAL_MS = 250
const REDELIVER_EVERY_MS = 500
const FINISH_EVERY_MS = 1_000

type Parts = { resolver: Resolver; markets: Markets; keyring: Keyring; channels: MakerChannels; orderWatch: OrderWatch }

export function startBackground(context: Context, parts: Parts): Stop {
  const { resolver, markets, keyring, channels, orderWatch } = parts
  const { settings, seriesIndex, takeover, blocks, protections, records } = context
  const { seriesRefreshMs, recordIntervalMs, orderWatchMs } = settings

  /** Names of new markets are read before a call needs them. */
  async function refresh(): Promise<void> {
    await seriesIndex.refresh()
    await markets.learnNames()
  }

  const jobs: Job[] = [
    ['series_refresh_failed', seriesRefreshMs, refresh],
    ['order_watch_failed', orderWatchMs, orderWatch.poll],
    ['authority_watch_failed', orderWatchMs, () => watchAuthority(context)],
    ['recording_failed', recordIntervalMs, () => recordPrices(context)],
    ['resolving_failed', SWEEP_EVERY_MS, resolver.sweep],
    ['block_recheck_failed', RECHECK_KEYS_MS, blocks.recheck],
    ['protections_recheck_failed', RECHECK_KEYS_MS, protections.recheck],
    ['suspensions_recheck_failed', RECHECK_KEYS_MS, records.recheck],
    ['protections_sweep_failed', SWEEP_GONE_MS, protections.sweep],
    ['key_recheck_failed', RECHECK_KEYS_MS, keyring.recheck],
  ]
  if (takeover !== null) {
    jobs.push(
      ['reaping_failed', TAKEOVER_INTERVAL_MS, () => endOverdueConfirmations(context, takeover)],
      ['redelivery_failed', REDELIVER_EVERY_MS, channels.redeliver],
      ['finishing_failed', FINISH_EVERY_MS, () => finishOrphans(context, takeover)],
    )
  }
  const stops = jobs.map(([event, pauseMs, work]) => repeat(context, { event, pauseMs, work }))
  return () => {
    for (const stop of stops) stop()
  }
}

type Job = [event: string, pauseMs: number, work: () => Promise<void>]

/** Logs changes: these rights are not used every day. Does nothing without a chain. */
export async function watchAuthority({ authority, log }: Pick<Context, 'authority' | 'log'>): Promise<void> {
  if (authority === null) return
  const { news } = await authority.read()
  for (const event of news) {
    const { kind, seriesId } = event
    log.warn('authority_used', { code: kind, reason: authorityText(event), ...(seriesId === null ? {} : { seriesId }) })
  }
}
