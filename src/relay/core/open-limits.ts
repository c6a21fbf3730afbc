import { RfqError } from '@rfqctl/protocol/domain/errors'
import { displaceRequest } from './close-request.ts'
import type { Context } from './context.ts'
import { createOpenShares, type Taken } from './open-shares.ts'

/** Makes room for clients with few requests; refuses with `too_many_requests`. */
export type OpenCounts = ReturnType<typeof createOpenCounts>

/** Passes the id to `opened`. */
type Open<Result> = (opened: (requestId: string) => void) => Promise<Result>

/** Requests end all the time. */
const RETRY_AFTER_S = 5

/** Milliseconds until an event of a request opened here must have arrived. */
const HEARD_OF_MS = 5_000

/** Missed ends that are tolerated before all requests are checked. */
const SLACK = 1_000

/** Each process has this part of the total for its own requests: requests of other nodes are not displaced here. */
const OWN_PART = 0.1

/** Requests considered for one displacement; the last of them gives way even if it is quoted. */
const MOST_LOOKS = 8

/** Starts empty. Requests opened before this process count towards the total, but not towards any address. */
export function createOpenCounts(context: Context) {
  const { book, clock, feed, settings } = context
  const { total, perAddress } = settings.openLimits
  const shares = createOpenShares()
  /** Unix milliseconds by requestId. */
  const openedAt = new Map<string, number>()
  let opening = 0

  function forget(requestId: string): void {
    openedAt.delete(requestId)
    shares.remove(requestId)
  }

  /** Events come over a network, so the end of a request may have been missed. */
  function sweep(): void {
    for (const [requestId, at] of openedAt) {
      if (book.known(requestId) === null && clock.now() >= at + HEARD_OF_MS) forget(requestId)
    }
  }

  /** Requests that are being opened count already. */
  const isFull = (): boolean =>
    total !== null && book.countKnown() + opening > total && shares.sum() > Math.floor(OWN_PART * total)

  /** At the limit, one request ends for each new one (protocol open-4). */
  async function makeRoom(address: string | null): Promise<void> {
    for (let looks = 1; looks <= MOST_LOOKS && isFull(); looks += 1) {
      const taken = address === null ? null : shares.take(address)
      if (taken === null) break
      if (await gaveWay(taken, looks === MOST_LOOKS)) return
    }
    if (isFull()) throw tooMany('The relay has reached its limit of open quote requests.')
  }

  async function gaveWay(taken: Taken, isLast: boolean): Promise<boolean> {
    let ending: Awaited<ReturnType<typeof displaceRequest>> = 'locked'
    try {
      const isQuoted = async () => ((await book.top(taken.requestId))?.quoteCount ?? 0) > 0
      if (isLast || taken.isWaitedFor || !(await isQuoted())) ending = await displaceRequest(context, taken.requestId)
    } finally {
      if (ending === 'locked') shares.putBack(taken)
    }
    return ending === 'closed'
  }

  function assertOwnRoom(address: string | null): void {
    if (address === null || perAddress === null || shares.countOf(address) < perAddress) return
    throw tooMany(
      `This address has ${perAddress} open quote requests. Cancel or commit one, or wait until one expires.`,
    )
  }

  feed.listen((event) => {
    if (event.kind === 'quote_request_expired') forget(event.requestId)
  })

  return {
    /** `open` counts from now on. */
    admit: async <Result>(address: string | null, open: Open<Result>): Promise<Result> => {
      assertOwnRoom(address)
      opening += 1
      if (address !== null) shares.begin(address)
      let isOpen = false
      try {
        if (isFull()) await makeRoom(address)
        return await open((requestId) => {
          isOpen = true
          opening -= 1
          if (address === null) return
          shares.opened(address, requestId)
          openedAt.set(requestId, clock.now())
          if (openedAt.size > 2 * book.countKnown() + SLACK) sweep()
        })
      } finally {
        if (!isOpen) {
          opening -= 1
          if (address !== null) shares.abandon(address)
        }
      }
    },
  }
}

const tooMany = (detail: string) => new RfqError('too_many_requests', { detail, data: { retryAfterS: RETRY_AFTER_S } })
