import type { DemotionRule } from '../../../domain/demotion.ts'
import type { Book } from '../../../relay/ports/book.ts'
import type { Bus, CommitLeases, MakerFeed, Presence } from '../../../relay/ports/live.ts'
import type { Clock, Log } from '../../../relay/ports/runtime.ts'
import type { Store } from '../../../relay/ports/store.ts'
import { createLocalBook } from './book.ts'
import { createLocalBus } from './bus.ts'
import { createLocalCommitLeases } from './commit-leases.ts'
import { createLocalFeed } from './feed.ts'
import { createLocalPresence } from './presence.ts'

/** Everything live of a single process: the book, the maker feed behind it, presence and the bus. */
export function createLocalLive({
  clock,
  log,
  epoch,
  demotion,
  noteQuoter,
}: {
  clock: Clock
  log: Log
  epoch: number
  demotion: DemotionRule
  noteQuoter: Store['quoters']['note']
}): {
  book: Book
  feed: MakerFeed
  presence: Presence
  bus: Bus
  leases: CommitLeases
} {
  const feed = createLocalFeed({ epoch })
  return {
    book: createLocalBook({ clock, feed, demotion, noteQuoter }),
    feed,
    presence: createLocalPresence(),
    bus: createLocalBus({ log }),
    leases: createLocalCommitLeases({ clock }),
  }
}
