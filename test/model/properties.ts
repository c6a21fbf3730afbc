import { expect } from 'vitest'
import type { Observation } from '../invariants/observation.ts'
import type { ModelStream } from './connections.ts'
import { HEARS_PACKAGES, HEARS_TWO_SIDED } from './makers.ts'
import { shownOf, type Trace } from './trace.ts'
import type { World } from './world.ts'

/** What nobody outside the relay can see, and holds after every step, whoever is still waiting for an answer. */
export async function checkAlways(world: World): Promise<void> {
  const { trace, streams, presence, collector } = world
  expect(trace.faults, 'nothing but refusals is thrown').toEqual([])
  expect(trace.overlaps, 'the store has one acceptance at a time of a request').toEqual([])
  expect(trace.askedLate, 'a maker is asked while its quote is live').toEqual([])
  expect(trace.overdrawn, 'no wallet promises more than it has').toEqual([])
  expect(trace.handedOut, 'no order is handed out whose nonce was used on chain before').toEqual([])
  expect(trace.uncounted, 'what a key has signed beforehand for a wallet counts once its quote is held').toEqual([])
  expect(trace.openAfterCancel, 'what was cancelled is found open by nobody').toEqual([])
  expect(repeated(trace.ended.map(({ acceptanceId }) => acceptanceId)), 'an acceptance ends once').toEqual([])
  checkTimeToFill(trace)
  const resolutions = new Set(trace.attested.map(({ resolutionBps }) => resolutionBps))
  expect(resolutions.size, 'the series of one market and expiry have one resolution').toBeLessThan(2)
  const live = [...streams.values()].filter(({ isLive }) => isLive)
  for (const [channel, makers, what] of [
    ['packages', HEARS_PACKAGES, 'a package'],
    ['twoSided', HEARS_TWO_SIDED, 'a request for both sides'],
  ] as const) {
    const hearing = makers.filter((maker) => streams.get(maker)?.isLive)
    expect(await presence.countStreams(channel), `those count for ${what} that hear of it`).toBe(hearing.length)
  }
  for (const stream of live) checkStream(stream, world)
  await checkHeld(world)
  const counted = await presence.countStreams()
  collector.observe({ kind: 'makers_counted', requestId: null, counted, least: live.length, most: live.length })
  await lookAtBooks(world, { isQuiescent: false })
}

/** What holds when every answer has arrived. */
export async function checkQuiescent(world: World): Promise<void> {
  await checkAlways(world)
  const { log, streams, sockets, keys } = world
  const errors = log.lines.filter(({ level }) => level === 'error')
  expect(errors, 'no background fault').toEqual([])
  await lookAtBooks(world, { isQuiescent: true })
  for (const maker of [...streams.keys(), ...sockets.keys()]) {
    expect(keys.get(maker), `${maker} is connected by a key (fault B6)`).not.toEqual([])
  }
}

/** What holds when all time is over, with the invariants of all that was observed. */
export async function checkFinal(world: World): Promise<void> {
  const { trace, sockets, store, collector } = world
  for (const { acceptanceId } of trace.accepted) {
    const endings = trace.ended.filter((ended) => ended.acceptanceId === acceptanceId)
    expect(endings, 'every acceptance ended').toHaveLength(1)
  }
  expect(await store.quoters.list(), 'nobody is still to be told (decision C10)').toEqual(new Map())
  for (const { accepted } of sockets.values()) {
    expect(repeated(accepted.map(({ acceptanceId }) => acceptanceId)), 'an order is sent once a connection').toEqual([])
  }
  const read = [...(await readHistories(world)), ...(await readRecords(world)), ...sinksOf(world)]
  expect(collector.violations(read)).toEqual([])
}

/** How makers' quotes ended, as each can read (decision C10). */
const readHistories = ({ store, keys }: World): Promise<Observation[]> =>
  Promise.all(
    [...keys.keys()].map(async (makerId): Promise<Observation> => {
      const outcomes = await store.history.list({ makerId, after: null, since: null, status: null, limit: 1_000 })
      const endings = (outcomes ?? []).map(({ requestId, quoteId, ...outcome }) => {
        const { status } = outcome
        const end = outcome.status === 'confirmed' ? outcome.end : null
        return { requestId, quoteId, status, ...(end === null ? {} : { orderStatus: end }) }
      })
      return { kind: 'history_read', makerId, endings }
    }),
  )

/** What has counted for or against makers. */
const readRecords = ({ store, keys }: World): Promise<Observation[]> =>
  Promise.all(
    [...keys.keys()].map(async (makerId): Promise<Observation> => {
      const { outcomes } = await store.makerRecords.find(makerId)
      return {
        kind: 'record_read',
        makerId,
        outcomes: outcomes.map(({ kind, ...names }) => ({ ...names, outcome: kind })),
      }
    }),
  )

/** What the relay has said: to its log, to the audit log, and to whoever listens. */
function sinksOf({ trace, log, collector }: World): Observation[] {
  const { audit, commits, accepted, events } = trace
  const told = collector.observations.filter(({ kind }) => kind === 'quote_ended')
  const texts = {
    'the log': log.lines,
    'the audit log': audit,
    'what makers and takers are told': [commits, accepted, told, events],
  }
  return Object.entries(texts).map(([name, said]) => ({ kind: 'sink', name, text: JSON.stringify(said, asText) }))
}

/**
 * What takers are shown, where nobody is signing: a miss counts before the quote is let go, and an ordering between the two
 * would be none. Once every answer has arrived, the last of it was streamed.
 */
async function lookAtBooks(
  { requests, book, clock, trace, collector }: World,
  { isQuiescent }: { isQuiescent: boolean },
) {
  for (const { requestId } of requests) {
    const top = await book.top(requestId)
    if (top?.status !== 'open' || top.confirming) continue
    const best = shownOf(top)
    // A commit under way holds a request open beyond its time (fault C9): until it closes its quotes are counted, and the last
    // best one streamed, though they have ended with it.
    const isOver = clock.now() >= top.request.expiresAt
    const quoteCount = isQuiescent && !isOver ? best.quoteCount : null
    collector.shown(requestId, best.bestId, quoteCount)
    if (top.request.trade.side === 'both') collector.shown(requestId, best.bidId, quoteCount, 'sell')
    if (isQuiescent && !isOver) expect(trace.tops.get(requestId), 'what takers are streamed last').toEqual(best)
  }
}

/** An order is revealed with time to fill it, on its series, too. */
function checkTimeToFill({ commits }: Trace): void {
  for (const { execution } of commits) {
    const { acceptance, executedAt } = execution
    const lastFillMs = Math.min(acceptance.order.validUntil * 1_000, acceptance.option.expiryMs)
    expect(lastFillMs - executedAt, 'there was time to fill the order').toBeGreaterThan(1_000)
  }
}

/** A stream has everything that was published since it began, and its reader knows what is open. */
function checkStream({ from, since, open }: ModelStream, { trace, clock }: World): void {
  const { events, kills } = trace
  const published = events.map(({ id }) => id).filter((id) => id > from)
  expect(since, 'replay and live are what was published').toEqual(published)
  const isOpen = new Set<string>()
  // A snapshot does not tell of what takes no quote any more, though it may not be closed.
  const isOver = new Set<string>()
  // What was open before a kill is announced again.
  for (const event of events.slice(kills.at(-1) ?? 0)) {
    if (event.kind !== 'quote_request') isOpen.delete(event.requestId)
    else if (clock.now() < event.request.expiresAt) isOpen.add(event.request.requestId)
    else isOver.add(event.request.requestId)
  }
  expect(new Set([...open].filter((id) => !isOver.has(id))), 'the reader knows what is open').toEqual(isOpen)
}

/** Who is asked to sign is held until its deadline, also over a kill (decision Q8). */
async function checkHeld({ store, book, clock }: World): Promise<void> {
  for (const { requestId, makerId, deadline } of await store.acceptances.pending()) {
    if (clock.now() >= deadline) continue
    const signing = (await book.find(requestId))?.signing
    expect(signing?.makerId, 'who was asked is held (decision Q8)').toBe(makerId)
  }
}

const asText = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

const repeated = (values: readonly string[]): string[] => values.filter((value, i) => values.indexOf(value) !== i)
