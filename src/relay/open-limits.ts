import { RfqError } from '../domain/errors.ts'
import type { Context } from './context.ts'

/** Counts open requests, and refuses what is too many with `too_many_requests`. */
export type OpenCounts = {
  /** Runs what opens a request, counted from now on; `opened` is told its id. */
  admit: <Result>(
    address: string | null,
    open: (opened: (requestId: string) => void) => Promise<Result>,
  ) => Promise<Result>
}

/** When to try again, in seconds: requests end all the time. */
const RETRY_AFTER_S = 5

/** How long a request that was opened here may take to be heard of, in milliseconds. */
const HEARD_OF_MS = 5_000

/** How many counted requests may have ended unheard before all are looked through. */
const SLACK = 1_000

type Opened = { address: string; at: number }

/** No request counted yet. What was open before this process is part of the total, and of no address's share. */
export function createOpenCounts({
  book,
  clock,
  feed,
  settings,
}: Pick<Context, 'book' | 'clock' | 'feed' | 'settings'>): OpenCounts {
  const { total, perAddress } = settings.openLimits
  const opened = new Map<string, Opened>()
  const counts = new Map<string, number>()
  let opening = 0

  const add = (address: string, count: number) => {
    const sum = (counts.get(address) ?? 0) + count
    if (sum === 0) counts.delete(address)
    else counts.set(address, sum)
  }

  function forget(requestId: string): void {
    const entry = opened.get(requestId)
    if (entry === undefined) return
    opened.delete(requestId)
    add(entry.address, -1)
  }

  /** Where events come over a network, the end of a request may have been missed. */
  function sweep(): void {
    for (const [requestId, { at }] of opened) {
      if (book.known(requestId) === null && clock.now() >= at + HEARD_OF_MS) forget(requestId)
    }
  }

  function assertRoom(address: string | null): void {
    if (total !== null && book.countKnown() + opening >= total) {
      throw tooMany('The relay has reached its limit of open quote requests.')
    }
    if (address === null || perAddress === null || (counts.get(address) ?? 0) < perAddress) return
    throw tooMany(
      `This address has ${perAddress} open quote requests. Cancel or commit one, or wait until one expires.`,
    )
  }

  feed.listen((event) => {
    if (event.kind === 'quote_request_expired') forget(event.requestId)
  })

  return {
    admit: async (address, open) => {
      assertRoom(address)
      opening += 1
      if (address !== null) add(address, 1)
      let isOpen = false
      try {
        return await open((requestId) => {
          isOpen = true
          opening -= 1
          if (address === null) return
          opened.set(requestId, { address, at: clock.now() })
          if (opened.size > 2 * book.countKnown() + SLACK) sweep()
        })
      } finally {
        if (!isOpen) {
          opening -= 1
          if (address !== null) add(address, -1)
        }
      }
    },
  }
}

const tooMany = (detail: string) => new RfqError('too_many_requests', { detail, data: { retryAfterS: RETRY_AFTER_S } })
