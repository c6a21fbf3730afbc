import { groupBy } from '@rfqctl/lib/group-by'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { isPackage } from '@rfqctl/protocol/domain/option'
import { resolveSeries } from '@rfqctl/protocol/domain/resolution'
import { fixingKey, type Series, type SeriesId, type SeriesTerms } from '@rfqctl/protocol/domain/series'
import { twapWindow } from '@rfqctl/protocol/domain/twap'
import type { Context } from './context.ts'
import { forEachLimited } from './for-each-limited.ts'
import type { PinnedResolution } from './ports/store.ts'

/** Resolves each series once, and all series of a market and expiry alike, since they share the same prices. */
export type Resolver = ReturnType<typeof createResolver>

/** Markets resolved in parallel. */
const CONCURRENCY = 4

export function createResolver(context: Context) {
  const { store, chain, seriesIndex, log } = context
  const running = new Map<string, Promise<void>>()
  let attended: ReadonlySet<SeriesId> = new Set()

  /** Concurrent calls for a group share one answer. */
  function resolveGroup(group: readonly Series[]): Promise<void> {
    const key = fixingKey(group[0] as Series)
    const joined = running.get(key)
    if (joined !== undefined) return joined
    const work = resolveAlike(context, group).finally(() => running.delete(key))
    running.set(key, work)
    return work
  }

  /**
   * Computes and pins a missing resolution (decision S4). Refuses with `manual_review` if a person must decide, and
   * `price_source_unavailable` if a source is down: then nothing is stored (decision S1).
   */
  async function resolve(series: Series): Promise<PinnedResolution> {
    const standing = await readStanding(series)
    if (standing !== null) return standing
    const group = await groupOf(context, series)
    await resolveGroup(group)
    // A concurrent call has just resolved the group without this series, which was not in its list yet or has no
    // holder.
    const resolution = (await readStanding(series)) ?? (await resolveLikeOthers(context, group))
    if (resolution === null) throw new RfqError('resolution_pending')
    return resolution
  }

  /** Refuses with `manual_review` while the series waits for a person. */
  async function readStanding({ seriesId, expiry }: Series): Promise<PinnedResolution | null> {
    const standing = await store.resolutions.find(seriesId)
    if (standing !== null || (await store.resolutions.findEscalation(seriesId)) === null) return standing
    throw new RfqError('manual_review', { data: { seriesId, ...twapWindow(expiry) } })
  }

  /** Skips packages without holders, which a call resolves. What a source cannot answer yet waits for the next sweep. */
  async function sweep(): Promise<void> {
    const chainTime = await chain.time('cached')
    const list = await seriesIndex.list()
    const due = list.filter(({ resolutionBps, expiry }) => resolutionBps === null && isDue(context, expiry, chainTime))
    const fresh = due.filter(({ seriesId }) => !attended.has(seriesId))
    const wanted = fresh.length === 0 ? [] : await withoutUnheld(context, due)
    const keys = new Set(wanted.filter(({ seriesId }) => !attended.has(seriesId)).map(fixingKey))
    const held = new Set(wanted)
    const resolvable = list.filter((series) => keys.has(fixingKey(series)) && (!isPackage(series) || held.has(series)))
    const postponed = new Set<string>()
    await forEachLimited(groupBy(resolvable, fixingKey), CONCURRENCY, async ([key, group]) => {
      await resolveGroup(group).catch((fault: unknown) => {
        if (postponed.size === 0) log.warn('resolutions_postponed', { seriesId: (group[0] as Series).seriesId, fault })
        postponed.add(key)
      })
    })
    attended = new Set(due.filter((series) => !postponed.has(fixingKey(series))).map(({ seriesId }) => seriesId))
  }

  return { resolve, sweep }
}

/** True once the source has caught up with the expiry (decision S4). Unix seconds of chain time. */
export const isDue = ({ settings }: Pick<Context, 'settings'>, expiry: number, chainTime: number): boolean =>
  chainTime * 1_000 >= expiry * 1_000 + settings.settleLagMs

/** The given series comes first, even if the index does not have it yet. */
export async function groupOf(context: Context, series: Series): Promise<readonly Series[]> {
  const list = await context.seriesIndex.list()
  const others = list.filter((other) => fixingKey(other) === fixingKey(series) && other.seriesId !== series.seriesId)
  return [series, ...(await withoutUnheld(context, others))]
}

/** Leaves out packages without holders: anyone can register them, and a resolution is kept forever (invariant V5). */
export async function withoutUnheld({ seriesIndex }: Pick<Context, 'seriesIndex'>, list: readonly Series[]) {
  const packages = list.filter(isPackage)
  if (packages.length === 0) return list
  const held = await seriesIndex.held(packages.map(({ seriesId }) => seriesId))
  return list.filter((series) => !isPackage(series) || held.has(series.seriesId))
}

export async function resolutionOf({ store }: Context, group: readonly Series[]): Promise<PinnedResolution | null> {
  const found = await Promise.all(inOrder(group).map(({ seriesId }) => store.resolutions.find(seriesId)))
  return found.find((one) => one !== null) ?? null
}

/**
 * Pins one resolution for the whole group: the one pinned for its first series by id, so that nodes, prepare calls,
 * reviewers and a relay killed halfway agree on one number.
 */
export async function pinAlike(
  { store }: Pick<Context, 'store'>,
  group: readonly Series[],
  resolution: Omit<PinnedResolution, 'seriesId'>,
): Promise<PinnedResolution> {
  const [leader, ...others] = inOrder(group) as [Series, ...Series[]]
  const standing = await store.resolutions.pin({ ...resolution, seriesId: leader.seriesId })
  await Promise.all(others.map(({ seriesId }) => store.resolutions.pin({ ...standing, seriesId })))
  return standing
}

/** Packages come last: the first of a group must not depend on them. */
const inOrder = (group: readonly Series[]): readonly Series[] =>
  group.toSorted((a, b) => Number(isPackage(a)) - Number(isPackage(b)) || (a.seriesId < b.seriesId ? -1 : 1))

async function resolveAlike(context: Context, group: readonly Series[]): Promise<void> {
  if ((await resolveLikeOthers(context, group)) !== null) return
  const resolution = await resolveFirst(context, group)
  if (resolution !== null) await pinAlike(context, group, resolution)
}

/** Copies the resolution of any series of the group to all; null if none has one. */
async function resolveLikeOthers(context: Context, group: readonly Series[]): Promise<PinnedResolution | null> {
  const resolution = await resolutionOf(context, group)
  return resolution === null ? null : pinAlike(context, group, resolution)
}

/**
 * Null if a person must decide, which is noted for the whole group. After that the sources are not asked again: they
 * only lose data of a window.
 */
async function resolveFirst(context: Context, group: readonly Series[]) {
  const { store, clock, log } = context
  const [leader] = inOrder(group) as [Series]
  const { seriesId } = leader
  const earlier = await store.resolutions.findEscalation(seriesId)
  const decision =
    earlier === null ? await decide(context, leader) : ({ kind: 'review', reason: earlier.reason } as const)
  if (decision.kind === 'resolved') {
    const { resolutionBps, meta } = decision
    log.info('series_resolved', { seriesId, count: group.length, reason: meta.method })
    return { resolutionBps, meta, resolvedAt: clock.now(), decision: null }
  }
  const { reason } = decision
  if (earlier === null) log.warn('series_escalated', { seriesId, count: group.length, reason })
  const note = { reason, ...twapWindow(leader.expiry), at: clock.now() }
  await Promise.all(group.map((series) => store.resolutions.escalate({ ...note, seriesId: series.seriesId })))
  return null
}

async function decide({ store, prices, markets, settings }: Context, { conditionId, yesTokenId, expiry }: SeriesTerms) {
  const { windowStart, windowEnd } = twapWindow(expiry)
  const [outcome, recorded, fetched] = await Promise.all([
    markets.outcome(conditionId, yesTokenId),
    store.prices.between(yesTokenId, windowStart, windowEnd),
    prices.history(yesTokenId, windowStart, windowEnd),
  ])
  const limits = { minPoints: settings.twapMinPoints, maxGapS: settings.twapMaxGapS }
  return resolveSeries({ expiry, outcome, recorded, fetched, limits })
}
