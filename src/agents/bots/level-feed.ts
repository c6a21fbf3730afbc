import { type Clock, type Level, type ListedSeries, type MakerClient, RelayError } from '@rfqctl/client/index'
import { pause } from '@rfqctl/lib/clock'
import { isPackage } from '@rfqctl/protocol/domain/option'
import { MAX_LEVELS } from '@rfqctl/protocol/wire/levels'
import type { OnMakerEvent } from './maker-events.ts'
import type { Portfolio, Spot } from './portfolio.ts'
import { levelOf } from './quote-plan.ts'
import { tradable } from './session.ts'
import type { MakerStyle } from './style.ts'

/** A relay forgets levels after a minute. */
const EVERY_MS = 20_000

type Input = {
  client: Pick<MakerClient, 'listSeries' | 'setLevels'>
  style: MakerStyle
  spot: Spot
  portfolio: Pick<Portfolio, 'position'>
  clock: Clock
  marketTime: () => Promise<number>
  signal: AbortSignal
  onEvent: OnMakerEvent
}

/** Sends what the maker would quote on calls and puts that expire soonest, until the signal aborts. A failure is only reported. */
export async function feedLevels({ clock, signal, onEvent, ...input }: Input): Promise<void> {
  while (!signal.aborted) {
    await sendLevels({ ...input, signal }).catch((error: unknown) => {
      // An older relay has no levels.
      const isUnknown = error instanceof RelayError && error.code === 'not_found'
      if (!signal.aborted && !isUnknown)
        onEvent({ kind: 'failed', doing: 'levels', requestId: null, error: error as Error })
    })
    await pause(EVERY_MS, { clock, signal }).catch(() => {})
  }
}

async function sendLevels({ client, style, spot, portfolio, marketTime, signal }: Omit<Input, 'clock' | 'onEvent'>) {
  const now = await marketTime()
  const series = tradable(await client.listSeries({ settled: false, signal }), now)
    .filter((one) => !isPackage(one))
    .sort((a, b) => a.expiry - b.expiry)
    .slice(0, MAX_LEVELS)
  const levelFor = async (one: ListedSeries): Promise<Level> => ({
    seriesId: one.seriesId,
    ...levelOf(one, {
      style,
      spot: await spot(one.yesTokenId, now),
      position: portfolio.position(one.seriesId),
      now,
    }),
  })
  await client.setLevels({ levels: await Promise.all(series.map(levelFor)), signal })
}
