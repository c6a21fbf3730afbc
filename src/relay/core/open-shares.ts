import { type Counts, createCounts } from '@rfqctl/lib/counts'
import { siteOf } from './client-site.ts'

export type Taken = { requestId: string; address: string; isWaitedFor: boolean }

/** Oldest first: idle requests, and those that are quoted or committed to. */
type Holder = { idle: Set<string>; waitedFor: Set<string> }

export function createOpenShares() {
  const sites = createCounts<string>()
  const addresses = new Map<string, Counts<string>>()
  const holders = new Map<string, Holder>()
  const addressOf = new Map<string, string>()

  const ofSite = (site: string): Counts<string> => addresses.get(site) ?? createCounts()

  function begin(address: string): void {
    const site = siteOf(address)
    const counts = ofSite(site)
    counts.add(address)
    sites.add(site)
    addresses.set(site, counts)
  }

  function abandon(address: string): void {
    const site = siteOf(address)
    ofSite(site).subtract(address)
    sites.subtract(site)
    if (sites.countOf(site) === 0) addresses.delete(site)
  }

  function hold(address: string, requestId: string, isWaitedFor: boolean): void {
    const holder = holders.get(address) ?? { idle: new Set(), waitedFor: new Set() }
    holders.set(address, holder)
    addressOf.set(requestId, address)
    if (isWaitedFor) holder.waitedFor.add(requestId)
    else holder.idle.add(requestId)
  }

  function remove(requestId: string): void {
    const address = addressOf.get(requestId)
    const holder = address === undefined ? undefined : holders.get(address)
    if (address === undefined || holder === undefined) return
    addressOf.delete(requestId)
    if (!holder.idle.delete(requestId)) holder.waitedFor.delete(requestId)
    if (holder.idle.size + holder.waitedFor.size === 0) holders.delete(address)
    abandon(address)
  }

  /** Compares sites first, then addresses of one site; must exceed the newcomer's count with its new request. */
  function busiestBeside(newcomer: string): string | null {
    const own = siteOf(newcomer)
    const site = sites.busiest()
    if (site !== null && sites.countOf(site) > sites.countOf(own)) return ofSite(site).busiest()
    const counts = ofSite(own)
    const address = counts.busiest()
    return address !== null && counts.countOf(address) > counts.countOf(newcomer) ? address : null
  }

  return {
    /** Includes requests that are being opened. */
    countOf: (address: string): number => ofSite(siteOf(address)).countOf(address),
    sum: sites.sum,
    begin,
    abandon,
    opened: (address: string, requestId: string): void => hold(address, requestId, false),
    remove,
    /**
     * Chooses the site with the most requests, else the newcomer's own, and there the address with the most; then that
     * address's oldest request that is not known to be quoted, else its oldest. Null if no one has more than `newcomer`.
     */
    take: (newcomer: string): Taken | null => {
      const address = busiestBeside(newcomer)
      const holder = address === null ? undefined : holders.get(address)
      if (address === null || holder === undefined) return null
      const isWaitedFor = holder.idle.size === 0
      const [requestId] = isWaitedFor ? holder.waitedFor : holder.idle
      remove(requestId as string)
      return { requestId: requestId as string, address, isWaitedFor }
    },
    /** Undoes `take` for a request that a taker waits for: it gives way after the others of its address. */
    putBack: ({ requestId, address }: Taken): void => {
      begin(address)
      hold(address, requestId, true)
    },
  }
}
