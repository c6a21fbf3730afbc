import { RelayError } from '@rfqctl/client/errors'
import type { OrderState } from '@rfqctl/client/index'
import { pause } from '@rfqctl/lib/clock'
import { findTrade, type SessionContext } from './context.ts'
import { failureOf } from './failure.ts'
import type { Stage, TradeRecord } from './trade-record.ts'
import { isSmall } from './trade-view.ts'

/** Shortest intervals of reads, milliseconds: of the best quote for half of the size, and of signed orders. */
const SIZE_MS = 1_000
const STANDING_MS = 10_000

/** An open request whose stream has ended rests this long, milliseconds. */
const REST_MS = 5_000

export function createWatcher(context: SessionContext) {
  let current: { requestId: string; abort: AbortController } | null = null
  let restsUntil = 0
  return {
    show: (requestId: string | null): void => {
      const isSame = current?.requestId === requestId
      if (isSame && (!current?.abort.signal.aborted || context.ports.clock.now() < restsUntil)) return
      current?.abort.abort()
      current = null
      const record = requestId === null ? undefined : findTrade(context, requestId)
      if (record === undefined || !isOpen(record.stage)) return
      const abort = new AbortController()
      current = { requestId: record.request.requestId, abort }
      void watch(context, record, abort).finally(() => {
        // A refusal of the relay is not repeated with every change of the page.
        if (current?.abort === abort) restsUntil = context.ports.clock.now() + REST_MS
        abort.abort()
      })
    },
  }
}

const isOpen = ({ kind }: Stage): boolean => kind === 'quoting' || kind === 'committing'

async function watch(context: SessionContext, { request }: TradeRecord, abort: AbortController): Promise<void> {
  const { dispatch, ports } = context
  const { requestId } = request
  const { signal } = abort
  const end = () => abort.abort()
  context.signal.addEventListener('abort', end, { once: true })
  const readSize = createSizeReader(context, requestId)
  try {
    const books = context.reader().watchBestQuote({
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
      // A quote on both sides fills at least half.
      const { trade } = request.terms
      if (trade.side !== 'both' && book.bestQuote !== null && isSmall(book.bestQuote, trade)) readSize()
    }
    if (!signal.aborted) await learnEnd(context, requestId)
  } catch (error) {
    if (!signal.aborted) endBy(context, requestId, error)
  } finally {
    context.signal.removeEventListener('abort', end)
  }
}

/** If the best price is for few options only, the best one for half of the size is read beside it. */
function createSizeReader(context: SessionContext, requestId: string): () => void {
  const { ports, dispatch, signal } = context
  let isReading = false
  return () => {
    if (isReading) return
    isReading = true
    const record = findTrade(context, requestId)
    const read = async () => {
      if (record === undefined || signal.aborted) return
      const { bestForSize } = await context.reader().getBestQuote({ request: record.request, signal })
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

/** The end of a stream does not say how the request closed, so the relay is asked. */
async function learnEnd(context: SessionContext, requestId: string): Promise<void> {
  const record = findTrade(context, requestId)
  if (record?.stage.kind !== 'quoting') return
  try {
    const { status } = await context.reader().getBestQuote({ request: record.request, signal: context.signal })
    // Another page's commit reaches this one through their shared storage.
    if (status === 'open' || status === 'committed') return
    moveIfQuoting(context, requestId, { kind: 'ended', how: status })
  } catch (error) {
    if (!context.signal.aborted) endBy(context, requestId, error)
  }
}

/** A request that the relay no longer knows is over; another refusal is shown beside it. */
export function endBy(context: SessionContext, requestId: string, error: unknown): void {
  const code = error instanceof RelayError ? error.code : null
  if (code === 'request_expired') moveIfQuoting(context, requestId, { kind: 'ended', how: 'expired' })
  else if (code === 'request_not_found') moveIfQuoting(context, requestId, { kind: 'ended', how: 'gone' })
  else context.dispatch({ kind: 'trade-failed', requestId, failure: failureOf(error) })
}

function moveIfQuoting(context: SessionContext, requestId: string, stage: Stage): void {
  if (findTrade(context, requestId)?.stage.kind === 'quoting')
    context.dispatch({ kind: 'trade-moved', requestId, stage })
}

/**
 * Asks the relay about signed orders that this page does not fill now: filled by another page or before a reload,
 * cancelled by their maker, or expired. `isBusy`: this page is at work on it.
 */
export async function followOrders(context: SessionContext, isBusy: (requestId: string) => boolean): Promise<void> {
  const { ports, get, signal } = context
  while (!signal.aborted) {
    for (const { request, stage } of get().trades) {
      if ((stage.kind !== 'committed' && stage.kind !== 'filling') || isBusy(request.requestId)) continue
      const standing = await context
        .reader()
        .getBestQuote({ request, signal })
        .then(({ orderStanding }) => orderStanding)
        .catch(() => null)
      if (signal.aborted) return
      if (standing !== null && !isBusy(request.requestId)) takeStanding(context, request.requestId, standing)
    }
    await pause(STANDING_MS, { clock: ports.clock, signal }).catch(() => {})
  }
}

function takeStanding(context: SessionContext, requestId: string, standing: OrderState): void {
  const stage = findTrade(context, requestId)?.stage
  if (stage?.kind !== 'committed' && stage?.kind !== 'filling') return
  const { commitment, fellBackFrom } = stage
  if (standing.state === 'filled') {
    const { transactionHash: hash, blockNumber } = standing
    const partnerFee = stage.kind === 'filling' ? (stage.partnerFee ?? null) : null
    const filled: Stage = { kind: 'filled', commitment, fellBackFrom, hash, blockNumber, fee: null, partnerFee }
    context.dispatch({ kind: 'trade-moved', requestId, stage: filled })
    context.refresh()
  }
  if (standing.state === 'cancelled' || standing.state === 'expired') {
    context.dispatch({ kind: 'trade-moved', requestId, stage: { kind: 'ended', how: `order_${standing.state}` } })
  }
}
