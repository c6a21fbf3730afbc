import { type LinkedAbort, unlessAborted } from '@rfqctl/lib/abort'
import { type OnConnectionState, reconnecting, type Timing } from './connection.ts'
import { RelayUnreachableError } from './errors.ts'
import { openSocket, type RequestsStart, type SocketLink, type SocketMessage } from './socket.ts'

/** A maker's socket as it is made. */
export type MakerSocket = ReturnType<typeof createMakerSocket>

type Watching = { signal: AbortSignal | undefined; onConnectionState?: OnConnectionState | undefined }

/**
 * A maker's socket over as many connections as needed. It is open only while messages are read: an open socket means to the relay that
 * its maker can sign.
 */
export function createMakerSocket(input: { url: string; apiKey: string | null; timing: Timing }) {
  const { url, apiKey, timing } = input
  let readers = 0
  let link: SocketLink | null = null
  let onChange = new Set<() => void>()

  function change(next: SocketLink | null): void {
    link = next
    const due = onChange
    onChange = new Set()
    for (const look of due) look()
  }

  /** Connection of messages; null once no one reads them. */
  async function nextLink(signal: AbortSignal): Promise<SocketLink | null> {
    while (link === null && readers > 0) {
      const changed = new Promise<void>((resolve) => void onChange.add(resolve))
      await unlessAborted(changed, signal)
    }
    return link
  }

  async function* readMessages(
    connection: LinkedAbort,
    onConnectionState: OnConnectionState | undefined,
  ): AsyncGenerator<SocketMessage, never> {
    const onOpen = () => onConnectionState?.({ kind: 'open' })
    const own = await openSocket({ url, apiKey, connection, timing, onOpen })
    // Each reader has its own connection, so that it receives everything that a new one sends; all else uses the first.
    if (link === null) change(own)
    try {
      yield* own.messages()
      throw new RelayUnreachableError(url, { reason: 'the socket ended' })
    } finally {
      if (link === own) change(null)
      own.close()
    }
  }

  return {
    /** The messages of the socket. Ends only by a refused key (rejects with it), or by the signal (rejects with its reason). */
    followMessages: async function* ({ signal, onConnectionState }: Watching): AsyncGenerator<SocketMessage, never> {
      const connect = (connection: LinkedAbort) => readMessages(connection, onConnectionState)
      readers += 1
      try {
        return yield* reconnecting({ connect, signal, timing, onConnectionState })
      } finally {
        readers -= 1
        change(link)
      }
    },

    /** Requests after an id, over the connection of messages; null without one, or when it has no requests for this reader. */
    openRequests: async (from: RequestsStart, { signal }: LinkedAbort) => {
      // A caller that starts to watch requests and orders together may start with the requests.
      await Promise.resolve()
      const common = await nextLink(signal)
      if (common === null) return null
      const offers = await unlessAborted(common.offers, signal)
      const wanted = ['requests', ...(from.packages ? ['packages'] : [])]
      const isOffered = wanted.every((offer) => offers.has(offer))
      return isOffered ? common.requests(from, signal) : null
    },

    /** Calls on a connection that is open; null where there is none, or it takes no call now. */
    call: (...call: Parameters<SocketLink['call']>) => link?.call(...call) ?? null,
  }
}
