import type { Book, Bus, Clock, Log, MakerFeed, Presence } from '../../../relay/ports.ts'
import { createLocalBook } from './book.ts'
import { createLocalBus } from './channels.ts'
import { createLocalFeed } from './feed.ts'
import { createLocalPresence } from './presence.ts'

/** Everything live of a single process: the book, the maker feed behind it, presence and the bus. */
export function createLocalLive({ clock, log, epoch }: { clock: Clock; log: Log; epoch: number }): {
  book: Book
  feed: MakerFeed
  presence: Presence
  bus: Bus
} {
  const feed = createLocalFeed({ epoch })
  return { book: createLocalBook({ clock, feed }), feed, presence: createLocalPresence(), bus: createLocalBus({ log }) }
}
