import { optionName } from '@rfqctl/lib/format'
import type { PageAddress } from '../address.ts'
import { positionRows } from '../position-view.ts'
import type { TradeState } from '../state.ts'
import { tradeView } from '../trade-view.ts'
import { NEXT_TEXTS } from './position-words.ts'
import { filledText, paidText } from './words.ts'

/** A thing that a person waits for. `id` is that of the event, on each page that hears of it. */
export type News = { id: string; text: string; address: Extract<PageAddress, { kind: 'trade' | 'position' }> }

/** A change from a known state to a fill, an expiry, a settlement or a payout; what a page finds at first is no news. */
export const newsOf = (before: TradeState, after: TradeState): readonly News[] => [
  ...fillsOf(before, after),
  ...turnsOf(before, after),
  ...payoutsOf(before, after),
]

function fillsOf(before: TradeState, after: TradeState): News[] {
  if (before.trades === after.trades) return []
  return after.trades.flatMap((record) => {
    const { requestId } = record.request
    const was = before.trades.find(({ request }) => request.requestId === requestId)
    if (record.stage.kind !== 'filled' || was === undefined || was.stage.kind === 'filled') return []
    const text = filledText(tradeView(after, record))
    return [{ id: `filled:${requestId}`, text, address: { kind: 'trade', requestId } }]
  })
}

function turnsOf(before: TradeState, after: TradeState): News[] {
  if (before.positions === null || (before.now === after.now && before.positions === after.positions)) return []
  const former = new Map(positionRows(before)?.map(({ seriesId, next }) => [seriesId, next]))
  return (positionRows(after) ?? []).flatMap((row) => {
    const { seriesId, next, series } = row
    const was = former.get(seriesId)
    if (was === undefined || was === next || next === 'close' || next === 'wait') return []
    const text = `${optionName(series)}. ${NEXT_TEXTS[next](row)?.title}`
    return [{ id: `${next}:${seriesId}`, text, address: { kind: 'position', seriesId } }]
  })
}

function payoutsOf(before: TradeState, after: TradeState): News[] {
  if (before.tasks === after.tasks) return []
  return Object.entries(after.tasks).flatMap(([key, task]) => {
    if (task?.kind !== 'done' || task.outcome.kind !== 'claimed') return []
    if (before.tasks[key as keyof TradeState['tasks']] === task) return []
    const seriesId = key.replace('claim:', '')
    const { paid, hashes } = task.outcome
    return [{ id: `claimed:${hashes.join()}`, text: paidText(paid), address: { kind: 'position', seriesId } }]
  })
}
