import type { Order } from '../../../src/protocol/domain/order.ts'
import type { FakeChain } from '../../support/fake-chain.ts'
import type { Random } from '../time/random.ts'
import type { Timeline } from '../time/timeline.ts'
import type { Clients } from './clients.ts'
import type { MakerName } from './identities.ts'
import type { Node } from './node.ts'
import type { Recorder } from './recorder.ts'

/** What makers and takers know of the venue. */
export type Venue = {
  timeline: Timeline
  clients: Clients
  recorder: Recorder
  chain: FakeChain
  /** Whether each node reaches the market without a loss: then each hears what another one says. */
  areHeard: () => boolean
  /** A node that serves, if any does. */
  anyNode: (random: Random) => Node
  /** What a maker is told on its socket or stream, or answered, for those who listen. */
  heard: (maker: MakerName, way: string, what: unknown) => void
  /** The number of the action that opened a request. */
  ordinalOf: (requestId: string) => number
  /** Requests that their takers were answered. */
  acknowledged: Set<string>
  /** The question of a request, which names the action. */
  questionOf: (id: number) => string
  /** The time that all nodes share, Unix milliseconds. */
  sharedTime: () => number
  /** A maker has signed an order, and may cancel it. */
  signed: (order: Order) => void
  /** A taker fills its order on chain, if it still can. */
  fill: (order: Order) => void
}
