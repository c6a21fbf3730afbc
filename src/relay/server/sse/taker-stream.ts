import type { encodeOpened } from '@rfqctl/protocol/wire/opened-request'
import type { SseFrame } from '@rfqctl/protocol/wire/sse'
import { bestQuoteFrame, closedFrame, openedFrame } from '@rfqctl/protocol/wire/taker-stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { BookTop } from '../../core/ports/book.ts'
import type { Stop } from '../../core/ports/runtime.ts'
import { clientAddressOf } from '../client-address.ts'
import { takerSecretOf } from '../headers.ts'
import type { RouteContext } from '../route-context.ts'
import { encodeFrame, encodeFrames, withRetry } from './frame.ts'
import { answeredHead, ownSocketOf, startEventStream } from './start-stream.ts'

/** Sends the best quote at once and with each change, `closed` after the last one, then ends. */
export const serveTakerStream = (
  context: RouteContext,
  request: FastifyRequest<{ Params: { id: string } }>,
  reply: FastifyReply,
): Promise<void> =>
  serve(context, { request, reply }, async (onChange) => {
    const requestId = request.params.id
    const takerSecret = takerSecretOf(request)
    const watched = await context.relay.watchRequest({ requestId, takerSecret, onChange })
    return { ...watched, requestId, opened: null }
  })

/** The same on the call that opens the request, after `opened`. Nothing is opened where the stream is refused. */
export async function serveOpeningStream(
  context: RouteContext,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  open: () => Promise<ReturnType<typeof encodeOpened>>,
): Promise<void> {
  ownSocketOf(reply)
  await serve(context, { request, reply }, async (onChange) => {
    const opened = await open()
    const { requestId } = opened
    return { ...(await context.relay.watchOpened({ requestId, onChange })), requestId, opened: openedFrame(opened) }
  })
}

type Watched = { requestId: string; opened: SseFrame | null; top: BookTop; stop: Stop }

async function serve(
  context: RouteContext,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  watch: (onChange: (top: BookTop) => void) => Promise<Watched>,
): Promise<void> {
  const { foldTops, streams, limits, shutdown } = context
  const release = limits.take({ apiKey: null, address: clientAddressOf(request) })
  let newest: BookTop | null = null
  let onChange = (top: BookTop): void => {
    newest = top
  }
  let stopWatching = () => {}
  try {
    const watched = await watch((top) => onChange(top))
    const { requestId, opened } = watched
    stopWatching = watched.stop
    if (answeredHead(request, reply)) {
      stopWatching()
      release()
      return
    }
    const first = newestOf(newest, watched.top)
    const shown = bestQuoteFrame(first)
    const frames = opened === null ? [withRetry(shown)] : [withRetry(opened), shown]
    const stream = streams.open({
      channel: 'taker_stream',
      connection: startEventStream(reply),
      opening: [encodeFrames(frames)].values(),
      onEnd: () => {
        changes.stop()
        stopWatching()
        release()
      },
    })
    const changes = foldTops<BookTop>((top) => stream.sendNewest(encodeTop(top)))
    const close = () => {
      changes.stop()
      stream.send(encodeFrame(closedFrame(requestId)))
      stream.end()
    }
    onChange = (top) => {
      if (top.status === 'open') return changes.push(top)
      changes.stop()
      stream.send(encodeTop(top))
      close()
    }
    if (first.status !== 'open') close()
    else if (shutdown.isClosing()) stream.sendAway()
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
