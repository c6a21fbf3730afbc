import { type Counts, createCounts } from '@rfqctl/lib/counts'
import { siteOf } from './client-site.ts'

/** Who has how many of the open requests, and whose gives way to one that has fewer. */
export type OpenShares = {
  /** How many an address has, those that are being opened among them. */
  countOf: (address: string) => number
  /** How many all have. */
  sum: () => number
  /** One more of an address, which is being opened. */
  begin: (address: string) => void
  /** One less of an address, which could not be opened. */
  abandon: (address: string) => void
  /** What an address was opening has this id. */
  opened: (address: string, requestId: string) => void
  remove: (requestId: string) => void
  /**
   * Takes out what gives way to one that `address` is opening: of the site that has the most, else of its own, the address that has
   * the most; of that one the oldest request that is not known to be quoted, else the oldest. Null where no one has more.
   */
  take: (address: string) => Taken | null
  /** The opposite of `take`, for one that someone waits for: it gives way after the others of its address. */
  putBack: (taken: Taken) => void
}

/** A request that is to give way. */
export type Taken = { requestId: string; address: string; isWaitedFor: boolean }

/** The requests of an address, the oldest first: those that no one is known to wait for, and those that are quoted or committed to. */
type Holder = { idle: Set<string>; waitedFor: Set<string> }

/** No one has any. */
export function createOpenShares(): OpenShares {
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

  /** Who has more than the newcomer would have, both by what their site has and, within one site, by themselves. */
  function busiestBeside(newcomer: string): string | null {
    const own = siteOf(newcomer)
    const site = sites.busiest()
    if (site !== null && sites.countOf(site) > sites.countOf(own)) return ofSite(site).busiest()
    const counts = ofSite(own)
    const address = counts.busiest()
    return address !== null && counts.countOf(address) > counts.countOf(newcomer) ? address : null
  }

  return {
    countOf: (address) => ofSite(siteOf(address)).countOf(address),
    sum: sites.sum,
    begin,
    abandon,
    opened: (address, requestId) => hold(address, requestId, false),
    remove,
    take: (newcomer) => {
      const address = busiestBeside(newcomer)
      const holder = address === null ? undefined : holders.get(address)
      if (address === null || holder === undefined) return null
      const isWaitedFor = holder.idle.size === 0
      const [requestId] = isWaitedFor ? holder.waitedFor : holder.idle
      remove(requestId as string)
      return { requestId: requestId as string, address, isWaitedFor }
    },
    putBack: ({ requestId, address }) => {
      begin(address)
      hold(address, requestId, true)
    },
  }
}
