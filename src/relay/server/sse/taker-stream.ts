import { bestQuoteFrame, closedFrame } from '@rfqctl/protocol/wire/taker-stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { BookTop } from '../../core/ports/book.ts'
import { clientAddressOf } from '../client-address.ts'
import { takerSecretOf } from '../headers.ts'
import type { RouteContext } from '../route-context.ts'
import { encodeFrame, withRetry } from './frame.ts'
import { answeredHead, startEventStream } from './start-stream.ts'

/** Sends the best quote at once and with each change, `closed` after the last one, then ends. */
export async function serveTakerStream(
  context: RouteContext,
  request: FastifyRequest<{ Params: { id: string } }>,
  reply: FastifyReply,
): Promise<void> {
  const { relay, foldTops, streams, limits } = context
  const release = limits.take({ apiKey: null, address: clientAddressOf(request) })
  let newest: BookTop | null = null
  let onChange = (top: BookTop): void => {
    newest = top
  }
  let stopWatching = () => {}
  try {
    const watched = await relay.watchRequest({
      requestId: request.params.id,
      takerSecret: takerSecretOf(request),
      onChange: (top) => onChange(top),
    })
    stopWatching = watched.stop
    if (answeredHead(request, reply)) {
      stopWatching()
      release()
      return
    }
    const first = newestOf(newest, watched.top)
    const stream = streams.open({
      channel: 'taker_stream',
      connection: startEventStream(reply),
      opening: [encodeFrame(withRetry(bestQuoteFrame(first)))].values(),
      onEnd: () => {
        changes.stop()
        stopWatching()
        release()
      },
    })
    const changes = foldTops<BookTop>((top) => stream.sendNewest(encodeTop(top)))
    const close = () => {
      changes.stop()
      stream.send(encodeFrame(closedFrame(request.params.id)))
      stream.end()
    }
    onChange = (top) => {
      if (top.status === 'open') return changes.push(top)
      changes.stop()
      stream.send(encodeTop(top))
      close()
    }
    if (first.status !== 'open') close()
  } catch (fault) {
    stopWatching()
    release()
    throw fault
  }
}

const newestOf = (change: BookTop | null, top: BookTop): BookTop =>
  change !== null && change.bookSeq > top.bookSeq ? change : top

/** Encoded once per state of the book: all watchers get the same object. */
const encoded = new WeakMap<BookTop, Buffer>()

function encodeTop(top: BookTop): Buffer {
  const known = encoded.get(top)
  if (known !== undefined) return known
  const frame = encodeFrame(bestQuoteFrame(top))
  encoded.set(top, frame)
  return frame
}
