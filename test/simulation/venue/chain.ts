import type { Order } from '../../../src/protocol/domain/order.ts'
import { maskOf, type NonceUse } from '../../../src/protocol/domain/order-end.ts'
import { contracts } from '../../../src/protocol/domain/units.ts'
import type { OrderEvents } from '../../../src/relay/core/ports/chain.ts'
import { createFakeChain, createFakeOrderEvents, type FakeChain } from '../../support/fake-chain.ts'
import { registerSeries } from '../../support/test-relay.ts'
import type { Random } from '../time/random.ts'
import type { Timeline } from '../time/timeline.ts'
import { recoverSigner, SHARED_WALLET } from './identities.ts'
import { EXPIRED, NO_FUNDS, SHARED_FUNDS, TERMS } from './terms.ts'

/** A chain with blocks of two seconds, the newest of which may be taken back. */
export type VenueChain = {
  chain: FakeChain
  orderEvents: OrderEvents
  /** How the nonce of an order was used while it could be filled, where it was. */
  usedBy: (order: Order) => NonceUse | undefined
  isUsed: (order: Order) => boolean
  /** Takes the newest blocks back; most of what was in them comes again. */
  reorganise: (depth: number) => void
  setFunds: (isEmpty: boolean) => void
}

const BLOCK_MS = 2_000
const UNFINAL = 4

export function createVenueChain({ timeline, random }: { timeline: Timeline; random: Random }): VenueChain {
  const clock = { now: () => Math.floor(timeline.now()), schedule: () => () => {}, afterTurn: () => {} }
  const chain = createFakeChain({ clock, recover: async (digest, signature) => recoverSigner(digest, signature) })
  for (const terms of [...Object.values(TERMS), ...EXPIRED]) registerSeries(chain, terms)
  chain.unfinal = UNFINAL
  const held = { long: contracts(300n), short: contracts(0n), isApproved: true }
  chain.inventories.set(SHARED_WALLET, new Map([...chain.registered.keys()].map((seriesId) => [seriesId, held])))

  const mine = (): void => {
    chain.block += 1
    timeline.at(timeline.now() + BLOCK_MS, mine)
  }
  timeline.at(timeline.now() + BLOCK_MS, mine)

  const setFunds = (isEmpty: boolean): void => {
    const funds = isEmpty ? NO_FUNDS : SHARED_FUNDS
    chain.move(SHARED_WALLET, { core: funds, settlement: funds })
  }
  chain.wallets.set(SHARED_WALLET, { core: SHARED_FUNDS, settlement: SHARED_FUNDS })

  /** When each block was mined, Unix seconds. */
  const times = new Map<number, number>()
  let newest = chain.block
  Object.defineProperty(chain, 'block', {
    get: () => newest,
    set: (block: number) => {
      newest = block
      times.set(block, Math.floor(timeline.now() / 1_000))
    },
  })
  const events = createFakeOrderEvents(chain) as OrderEvents
  const orderEvents: OrderEvents = {
    ...events,
    read: async (freshness) => {
      const read = await events.read(freshness)
      const { final } = read
      return { ...read, final: final && { ...final, time: times.get(final.block) ?? 0 } }
    },
  }

  const usedBy = ({ maker, nonce, validUntil }: Order): NonceUse | undefined => {
    const { word, mask } = maskOf(BigInt(nonce))
    const isUse = (use: NonceUse) => use.maker === maker && use.word === word && (use.mask & mask) !== 0n
    return chain.uses.find((use) => isUse(use) && (times.get(use.blockNumber) ?? 0) <= validUntil)
  }

  return {
    chain,
    orderEvents,
    setFunds,
    usedBy,
    isUsed: (order) => usedBy(order) !== undefined,
    reorganise: (depth) => {
      const isTaken = ({ blockNumber }: NonceUse) => blockNumber > chain.block - Math.min(depth, UNFINAL - 1)
      const taken = chain.uses.filter(isTaken)
      chain.uses = chain.uses.filter((use) => !isTaken(use))
      for (const use of taken) {
        if (!random.chance(0.8)) continue
        const transactionHash: NonceUse['transactionHash'] = `0x${random
          .below(2 ** 32)
          .toString(16)
          .padStart(64, '0')}`
        chain.block += 1
        chain.uses.push({ ...use, blockNumber: chain.block, transactionHash })
      }
    },
  }
}
