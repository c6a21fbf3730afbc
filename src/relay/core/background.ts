import { repeat } from '@rfqctl/lib/repeat'
import { watchAuthority } from './authority-watch.ts'
import type { Context } from './context.ts'
import type { Markets } from './discovery.ts'
import type { Keyring } from './keyring.ts'
import type { MakerChannels } from './maker-channels.ts'
import type { OrderWatch } from './order-watch.ts'
import type { Takeover } from './ports/live.ts'
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

export function startBackground(
  context: Context,
  {
    resolver,
    markets,
    keyring,
    channels,
    orderWatch,
  }: {
    resolver: Resolver
    markets: Pick<Markets, 'learnNames'>
    keyring: Keyring
    channels: MakerChannels
    orderWatch: OrderWatch
  },
): Stop {
  const { settings, seriesIndex, takeover } = context
  const { seriesRefreshMs, recordIntervalMs, orderWatchMs } = settings

  /** Names of new markets are read before a call needs them. */
  async function refresh(): Promise<void> {
    await seriesIndex.refresh()
    await markets.learnNames()
  }

  const stops = [
    repeat(context, { event: 'series_refresh_failed', pauseMs: seriesRefreshMs, work: refresh }),
    repeat(context, { event: 'order_watch_failed', pauseMs: orderWatchMs, work: orderWatch.poll }),
    repeat(context, { event: 'authority_watch_failed', pauseMs: orderWatchMs, work: () => watchAuthority(context) }),
    repeat(context, { event: 'recording_failed', pauseMs: recordIntervalMs, work: () => recordPrices(context) }),
    repeat(context, { event: 'resolving_failed', pauseMs: SWEEP_EVERY_MS, work: resolver.sweep }),
    repeat(context, { event: 'block_recheck_failed', pauseMs: RECHECK_KEYS_MS, work: context.blocks.recheck }),
    repeat(context, {
      event: 'protections_recheck_failed',
      pauseMs: RECHECK_KEYS_MS,
      work: context.protections.recheck,
    }),
    repeat(context, { event: 'suspensions_recheck_failed', pauseMs: RECHECK_KEYS_MS, work: context.records.recheck }),
    repeat(context, { event: 'protections_sweep_failed', pauseMs: SWEEP_GONE_MS, work: context.protections.sweep }),
    repeat(context, { event: 'key_recheck_failed', pauseMs: RECHECK_KEYS_MS, work: keyring.recheck }),
    ...(takeover === null ? [] : standInForOthers(context, takeover, channels)),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

const standInForOthers = (context: Context, takeover: Takeover, channels: MakerChannels): Stop[] => [
  repeat(context, {
    event: 'reaping_failed',
    pauseMs: TAKEOVER_INTERVAL_MS,
    work: () => endOverdueConfirmations(context, takeover),
  }),
  repeat(context, { event: 'redelivery_failed', pauseMs: REDELIVER_EVERY_MS, work: channels.redeliver }),
  repeat(context, {
    event: 'finishing_failed',
    pauseMs: FINISH_EVERY_MS,
    work: () => finishOrphans(context, takeover),
  }),
]
