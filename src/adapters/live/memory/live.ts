import type { DemotionRule } from '../../../domain/demotion.ts'
import type { Book } from '../../../relay/ports/book.ts'
import type { Bus } from '../../../relay/ports/bus.ts'
import type { Clock } from '../../../relay/ports/clock.ts'
import type { CommitLeases } from '../../../relay/ports/commit-leases.ts'
import type { Log } from '../../../relay/ports/log.ts'
import type { MakerFeed } from '../../../relay/ports/maker-feed.ts'
import type { Presence } from '../../../relay/ports/presence.ts'
import type { Store } from '../../../relay/ports/store.ts'
import { createLocalBook } from './book.ts'
import { createLocalBus } from './channels.ts'
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
