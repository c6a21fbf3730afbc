import { pause } from '../../client/clock.ts'
import { RelayError } from '../../client/errors.ts'
import type { OrderStanding } from '../../client/index.ts'
import { type Desk, findTrade } from './desk.ts'
import { failureOf } from './failure.ts'
import type { Stage, TradeRecord } from './trade-record.ts'
import { isSmall } from './trade-view.ts'

/** How often the best quote for half of the size is read at most, and signed orders are asked after, milliseconds. */
const SIZE_MS = 1_000
const STANDING_MS = 10_000

/** Watches the quotes of one request at a time, while it is open. */
export type Watcher = { show: (requestId: string | null) => void }

/** Watches the quotes of the request that the page is about. */
export function createWatcher(desk: Desk): Watcher {
  let current: { requestId: string; abort: AbortController } | null = null
  return {
    show: (requestId) => {
      if (current?.requestId === requestId && !current.abort.signal.aborted) return
      current?.abort.abort()
      current = null
      const record = requestId === null ? undefined : findTrade(desk, requestId)
      if (record === undefined || !isOpen(record.stage)) return
      const abort = new AbortController()
      current = { requestId: record.request.requestId, abort }
      void watch(desk, record, abort).finally(() => abort.abort())
    },
  }
}

const isOpen = ({ kind }: Stage): boolean => kind === 'quoting' || kind === 'committing'

async function watch(desk: Desk, { request }: TradeRecord, abort: AbortController): Promise<void> {
  const { dispatch, ports } = desk
  const { requestId } = request
  const { signal } = abort
  const end = () => abort.abort()
  desk.signal.addEventListener('abort', end, { once: true })
  const readSize = createSizeReader(desk, requestId)
  try {
    const books = desk.reader().watchBestQuote({
      request,
      signal,
      onConnectionState: (connection) => {
        if (connection.kind === 'open') dispatch({ kind: 'stream-changed', requestId, stream: { kind: 'open' } })
        if (connection.kind !== 'lost') return
        const retryAt = ports.clock.now() + connection.retryInMs
        const failure = failureOf(connection.error)
        dispatch({ kind: 'stream-changed', requestId, stream: { kind: 'lost', retryAt, failure } })
      },
    })
    for await (const book of books) {
      dispatch({ kind: 'book-shown', requestId, book })
      if (book.bestQuote !== null && isSmall(book.bestQuote, request.terms.trade)) readSize()
    }
    if (!signal.aborted) await learnEnd(desk, requestId)
  } catch (error) {
    if (!signal.aborted) endBy(desk, requestId, error)
  } finally {
    desk.signal.removeEventListener('abort', end)
  }
}

/** Where the best price is offered for few options only, the best one for half of the size is read beside it. */
function createSizeReader(desk: Desk, requestId: string): () => void {
  const { ports, dispatch, signal } = desk
  let isReading = false
  return () => {
    if (isReading) return
    isReading = true
    const record = findTrade(desk, requestId)
    const read = async () => {
      if (record === undefined || signal.aborted) return
      const { bestForSize } = await desk.reader().getBestQuote({ request: record.request, signal })
      if (!signal.aborted) dispatch({ kind: 'size-quoted', requestId, bestForSize })
    }
    void pause(SIZE_MS, { clock: ports.clock, signal })
      .then(() => {
        isReading = false
        return read()
      })
      // The next change of the book reads it again.
      .catch(() => {})
    void read().catch(() => {})
  }
}

/** A stream that ended says no more than that: how the request closed is asked. */
async function learnEnd(desk: Desk, requestId: string): Promise<void> {
  const record = findTrade(desk, requestId)
  if (record?.stage.kind !== 'quoting') return
  try {
    const { status } = await desk.reader().getBestQuote({ request: record.request, signal: desk.signal })
    // One that another page has committed comes to this one by the storage that both share.
    if (status === 'open' || status === 'committed') return
    moveIfQuoting(desk, requestId, { kind: 'ended', how: status })
  } catch (error) {
    if (!desk.signal.aborted) endBy(desk, requestId, error)
  }
}

/** What a relay no longer knows is over; another refusal stands beside the request. */
export function endBy(desk: Desk, requestId: string, error: unknown): void {
  const code = error instanceof RelayError ? error.code : null
  if (code === 'request_expired') moveIfQuoting(desk, requestId, { kind: 'ended', how: 'expired' })
  else if (code === 'request_not_found') moveIfQuoting(desk, requestId, { kind: 'ended', how: 'gone' })
  else desk.dispatch({ kind: 'trade-failed', requestId, failure: failureOf(error) })
}

function moveIfQuoting(desk: Desk, requestId: string, stage: Stage): void {
  if (findTrade(desk, requestId)?.stage.kind === 'quoting') desk.dispatch({ kind: 'trade-moved', requestId, stage })
}

/**
 * Asks the relay after signed orders that this page does not fill now: filled by another page or before a reload, cancelled by their maker,
 * or run out. `isBusy`: this page is about it.
 */
export async function followOrders(desk: Desk, isBusy: (requestId: string) => boolean): Promise<void> {
  const { ports, get, signal } = desk
  while (!signal.aborted) {
    for (const { request, stage } of get().trades) {
      if ((stage.kind !== 'committed' && stage.kind !== 'filling') || isBusy(request.requestId)) continue
      const standing = await desk
        .reader()
        .getBestQuote({ request, signal })
        .then(({ orderStanding }) => orderStanding)
        .catch(() => null)
      if (signal.aborted) return
      if (standing !== null && !isBusy(request.requestId)) takeStanding(desk, request.requestId, standing)
    }
    await pause(STANDING_MS, { clock: ports.clock, signal }).catch(() => {})
  }
}

function takeStanding(desk: Desk, requestId: string, standing: OrderStanding): void {
  const stage = findTrade(desk, requestId)?.stage
  if (stage?.kind !== 'committed' && stage?.kind !== 'filling') return
  const { commitment, fellBackFrom } = stage
  if (standing.state === 'filled') {
    const { transactionHash: hash, blockNumber } = standing
    const filled: Stage = { kind: 'filled', commitment, fellBackFrom, hash, blockNumber, fee: null }
    desk.dispatch({ kind: 'trade-moved', requestId, stage: filled })
    desk.refresh()
  }
  if (standing.state === 'cancelled' || standing.state === 'expired') {
    desk.dispatch({ kind: 'trade-moved', requestId, stage: { kind: 'ended', how: `order_${standing.state}` } })
  }
}
