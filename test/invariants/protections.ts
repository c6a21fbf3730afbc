import type { Assert } from './invariants.ts'
import type { Moment, ObservationOf, OrderSent } from './observation.ts'

/** Observations of V11: what makers have the relay hold for them, and who is there. */
type Told = ObservationOf<'protections_put' | 'protections_reset' | 'maker_gone' | 'maker_back'>

/** Checks V11 as observations come. */
export type ProtectionChecker = { observe: (observation: Told | OrderSent) => void }

type Maker = {
  put: ObservationOf<'protections_put'> | null
  /** From when on its windows count; null: it has none. */
  countedFrom: Moment | null
  /** What was asked of it since, oldest first. */
  counted: { moment: Moment; contracts: bigint; notional: bigint }[]
  goneSince: Moment | null
}

/** Orders are counted for a day. */
const REMEMBERED_MS = 24 * 3_600_000

/** A checker that has observed nothing. News may take `lagMs` until they are observed. */
export function createProtectionChecker(assert: Assert, { lagMs }: { lagMs: number }): ProtectionChecker {
  const makers = new Map<string, Maker>()
  /** An order comes again with each connection of its maker. */
  const known = new Set<string>()

  function makerOf(makerId: string): Maker {
    const maker = makers.get(makerId) ?? { put: null, countedFrom: null, counted: [], goneSince: null }
    makers.set(makerId, maker)
    return maker
  }

  function put(observation: ObservationOf<'protections_put'>): void {
    const maker = makerOf(observation.makerId)
    const had = (maker.put?.windows.length ?? 0) > 0
    if (observation.windows.length === 0) maker.countedFrom = null
    else if (!had) maker.countedFrom = observation.moment
    maker.put = observation
  }

  function ask({ requestId, makerId, quoteId, order, deadline, asked, counted = asked }: OrderSent): void {
    const maker = makers.get(makerId)
    const key = `${requestId} ${quoteId} ${deadline}`
    if (maker?.put == null || known.has(key)) return
    known.add(key)
    // What was decided before the protections stood is not held against them.
    if (counted.order < maker.put.moment.order) return
    const { graceMs, windows } = maker.put
    const isGone = graceMs !== null && maker.goneSince !== null && asked.at - lagMs >= maker.goneSince.at + graceMs
    assert('V11', requestId, !isGone, () => `${makerId} was asked although it was gone for longer than its grace`)
    if (maker.countedFrom === null || counted.order < maker.countedFrom.order) return
    const contracts = BigInt(order.optionAmount)
    const notional = BigInt(order.premiumAmount)
    maker.counted = maker.counted.filter(({ moment }) => moment.at > counted.at - REMEMBERED_MS)
    maker.counted.push({ moment: counted, contracts, notional })
    for (const { ms, maxAccepted, maxContracts, maxNotional } of windows) {
      const within = maker.counted.filter(({ moment }) => moment.at > counted.at - ms + lagMs)
      const sum = (amount: 'contracts' | 'notional') => within.reduce((total, one) => total + one[amount], 0n)
      const holds =
        (maxAccepted === null || within.length <= maxAccepted) &&
        (maxContracts === null || sum('contracts') <= maxContracts) &&
        (maxNotional === null || sum('notional') <= maxNotional)
      assert('V11', requestId, holds, () => `${makerId} was asked ${within.length} times within ${ms} ms`)
    }
  }

  return {
    observe: (observation) => {
      if (observation.kind === 'order_sent') return ask(observation)
      if (observation.kind === 'protections_put') return put(observation)
      const maker = makerOf(observation.makerId)
      if (observation.kind === 'maker_gone') maker.goneSince ??= observation.moment
      if (observation.kind === 'maker_back') maker.goneSince = null
      if (observation.kind !== 'protections_reset') return
      maker.counted = []
      if (maker.countedFrom !== null) maker.countedFrom = observation.moment
    },
  }
}
