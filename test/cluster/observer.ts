import { expect } from 'vitest'
import type { SocketMessage } from '../conformance/harness/socket.ts'
import type { SseEvent, SseStream } from '../conformance/harness/sse.ts'
import type { Node } from './cluster.ts'

/** What makers and takers of a cluster have seen, on the wire, over all its nodes. */
export type Observer = {
  /** Follows a maker on a node: its socket, and the stream of requests. */
  follow: (node: Node, maker: string) => Promise<void>
  /** Notes the answer of a commit. */
  committed: (requestId: string, answer: { status: number; body: object }) => void
  /** Checks what must hold at any moment. */
  check: () => void
}

type Accepted = SocketMessage & { order: { nonce: number }; confirmationDeadline: string }

/** Nothing seen yet. */
export function createObserver(): Observer {
  const streams: { maker: string; stream: SseStream }[] = []
  const sockets: { maker: string; messages: () => readonly SocketMessage[] }[] = []
  const executions = new Map<string, Set<string>>()

  const heardBy = (maker: string): SocketMessage[] =>
    distinct(sockets.filter((socket) => socket.maker === maker).flatMap(({ messages }) => messages()))

  function checkMakers(): void {
    const makers = new Set(sockets.map(({ maker }) => maker))
    const winners = new Map<string, string[]>()
    const asked = new Map<string, Accepted[]>()
    for (const maker of makers) {
      const terminal = new Map<string, string[]>()
      for (const message of heardBy(maker)) {
        const requestId = String(message.requestId)
        if (message.type === 'quote:accepted') append(asked, requestId, message as Accepted)
        if (message.type === 'quote:confirmed') append(winners, requestId, maker)
        if (['quote:confirmed', 'quote:rejected'].includes(message.type)) append(terminal, requestId, message.type)
      }
      // V3: one terminal message per maker and request.
      for (const [requestId, types] of terminal)
        expect({ maker, requestId, types }).toMatchObject({ types: [types[0]] })
    }
    // V1: one winner per request, and one nonce for each maker that was asked.
    for (const [requestId, names] of winners) expect({ requestId, names }).toMatchObject({ names: [names[0]] })
  }

  /** V4 and V6: ids rise on each stream, one id is one event everywhere, and each request ends once. */
  function checkStreams(): void {
    const meaning = new Map<string, string>()
    for (const { stream } of streams) {
      const events = stream.events.all().filter(({ id, event }) => id !== null && event !== 'snapshot_complete')
      const ids = events.map(({ id }) => Number(id))
      expect(ids).toEqual([...ids].sort((a, b) => a - b))
      expect(new Set(ids).size).toBe(ids.length)
      for (const event of events) {
        const text = meaningOf(event)
        expect(meaning.get(event.id as string) ?? text).toBe(text)
        meaning.set(event.id as string, text)
      }
      const ended = events.filter(({ event }) => event === 'quote_request_expired').map(({ data }) => data.requestId)
      expect(new Set(ended).size).toBe(ended.length)
    }
  }

  return {
    follow: async (node, name) => {
      const maker = node.maker(name)
      const [socket, stream] = await Promise.all([maker.connect(), maker.stream()])
      await stream.until('snapshot_complete')
      sockets.push({ maker: name, messages: socket.messages.all })
      streams.push({ maker: name, stream })
    },
    committed: (requestId, { status, body }) => {
      if (status !== 200) return
      const { execution } = body as { execution: { execution_id: string } }
      executions.set(requestId, (executions.get(requestId) ?? new Set()).add(execution.execution_id))
    },
    check: () => {
      checkMakers()
      checkStreams()
      // V1: whoever asks for the order of a request, on whatever node, gets the same one.
      for (const [requestId, ids] of executions) expect({ requestId, count: ids.size }).toEqual({ requestId, count: 1 })
    },
  }
}

/** What an event says; a request is told again, with its id, whenever somebody connects. */
const meaningOf = ({ event, data }: SseEvent): string => `${event} ${data.requestId}`

function append<Item>(lists: Map<string, Item[]>, name: string, item: Item): void {
  lists.set(name, [...(lists.get(name) ?? []), item])
}

/** A maker with sockets on several nodes hears each message on all of them. */
function distinct(messages: readonly SocketMessage[]): SocketMessage[] {
  const known = new Map(messages.map((message) => [JSON.stringify(message), message]))
  return [...known.values()]
}
