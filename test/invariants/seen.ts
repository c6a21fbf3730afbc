import type { Order } from '../../src/domain/order.ts'
import type { Trade } from '../../src/domain/request.ts'
import type { Address, Contracts, Hex, Usd6 } from '../../src/domain/units.ts'

/**
 * Something about one request that was seen on the wire. `at` is when, in Unix milliseconds of whoever watched; `stream`
 * and `socket` name a connection. The calls of a maker or a taker are seen when they are sent, their answers when they
 * are there.
 */
export type Seen = { at: number } /** A quote was answered by 200. */ & (
  | { kind: 'quoted'; makerId: string; quoteId: string; maker: Address; price: Usd6; size: Contracts }
  /** A taker's stream told the best quote. */
  | { kind: 'best'; stream: string; price: Usd6 | null; quoteCount: number }
  /** A commit was sent. */
  | { kind: 'committing'; wallet: Address }
  /** `quote:accepted`; `deadline` in Unix milliseconds. */
  | { kind: 'asked'; makerId: string; quoteId: string; order: Order; deadline: number }
  /** A maker sent its order back unsigned. */
  | { kind: 'declined'; quoteId: string }
  /** A confirm was answered by 200. */
  | { kind: 'signed'; quoteId: string }
  /** A commit was answered by 200; the order and its signature where there is a chain. `signer`: to whom it recovers. */
  | {
      kind: 'revealed'
      executionId: string
      quoteId: string
      price: Usd6
      signed: { order: Order; signature: Hex; signer: Address | null } | null
    }
  /** The same commit, sent again while the order can be filled; null when it was not answered by 200. */
  | { kind: 'repeated'; executionId: string | null }
  /** `quote:confirmed` or `quote:rejected`. */
  | { kind: 'told'; makerId: string; socket: string; quoteId: string; how: 'confirmed' | 'rejected' }
  /** `quote_request_expired` on a maker's stream, or `closed` on a taker's. */
  | { kind: 'ended'; stream: string }
)

/** A kind of what is seen. */
export type SeenOf<Kind extends Seen['kind']> = Extract<Seen, { kind: Kind }>

/** All that was seen of a request, in the order in which it was. */
export type RequestLife = { requestId: string; trade: Trade; seen: readonly Seen[] }

/**
 * The connections that were there from before a request opened until all news of its end had time to arrive: only of
 * these is silence a fault. Streams are those of makers and of the request's taker alike.
 */
export type Audience = {
  sockets: ReadonlyMap<string, { makerId: string }>
  streams: ReadonlySet<string>
}
