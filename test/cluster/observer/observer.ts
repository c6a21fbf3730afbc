import { expect } from 'vitest'
import type { Maker } from '../../conformance/harness/maker.ts'
import type { Service } from '../../conformance/harness/service.ts'
import type { Node } from '../node.ts'
import { breachesOf } from './breaches.ts'
import { emptyHistory, type History } from './history.ts'
import { createListener } from './listen.ts'
import { noteCommit, noteOpened, noteQuote } from './note.ts'

/** Somebody who sees all that makers and takers of a cluster send and are sent, on the wire, over all its nodes. */
export type Observer = {
  history: History
  /** The same node; what is done with it from now on is seen. */
  watch: (node: Node) => Node
  /** Redis was emptied, or lost something, or stood still: of what it was told before, some may be gone. */
  lost: () => void
  /** Asks a node for every commit again that was answered by a 200 since this was done last, and is still to be (invariant V10). */
  reread: (node: Node) => Promise<void>
  /** What must hold at any moment. */
  check: () => void
}

/** What a maker says by default, as the harness has it. */
const QUOTE = { price: 0.12, size: 1_000 }

/** A commit is answered again as long as its order can be filled: two minutes, less what a busy machine takes to ask. */
const ANSWERED_AGAIN_MS = 90_000

const POLL = /^\/quote-requests\/([^/]+)\/quotes$/
const TAKER_STREAM = /^\/quote-requests\/([^/]+)\/stream$/
const ENDS_A_QUOTE = /^\/v1\/mm\/quotes\/([^/]+?)(\/decline)?$/
const KEYS = '/v1/user/api-keys'
const MAKER_STREAM = '/v1/mm/quote-requests/stream'

/** Nothing seen yet. `secrets`: what no node may show anywhere. */
export function createObserver(known: Pick<History, 'confirmationMs' | 'strangeEvents' | 'secrets'>): Observer {
  const history: History = { ...emptyHistory(), ...known }
  const listener = createListener()
  const answers = new Map<string, { wallet: string; text: string; at: number }>()

  function watchService(service: Service): Service {
    return {
      ...service,
      open: async (fields = {}, terms) => {
        const sentAt = Date.now()
        const created = await service.open(fields, terms)
        const makersBetween = listener.makersBetween(sentAt, Date.now())
        noteOpened(history, { created, trade: (fields.trade as object | undefined) ?? {}, sentAt, makersBetween })
        return created
      },
      commit: async (requestId, body) => {
        const wallet = String(body.wallet)
        const noteAnswer = noteCommit(history, { requestId, wallet })
        const answer = await service.commit(requestId, body)
        noteAnswer(answer)
        if (answer.status === 200) answers.set(requestId, { wallet, text: answer.text, at: Date.now() })
        return answer
      },
      call: async (method, path, input) => {
        const askedAt = Date.now()
        const answer = await service.call(method, path, input)
        const body = answer.body as { bestQuote?: { quote_id: string } | null; status?: string; resolutionBps?: number }
        const polled = POLL.exec(path)?.[1]
        if (polled !== undefined && body.status === 'open') {
          const best = body.bestQuote?.quote_id ?? null
          history.looks.push({ requestId: polled, by: 'poll', askedAt, answeredAt: Date.now(), best })
        }
        if (method === 'POST' && path === KEYS && answer.status === 200) {
          history.secrets.push({ name: 'a key that was created', value: (answer.body as { key: string }).key })
        }
        if (path === '/settlement/prepare' && answer.status === 200) {
          const { seriesId } = body as { seriesId?: string }
          history.resolutions.push({ seriesId: String(seriesId), resolutionBps: Number(body.resolutionBps) })
        }
        return answer as never
      },
      stream: async (path, headers = {}) => {
        const stream = await service.stream(path, headers)
        const requestId = TAKER_STREAM.exec(path)?.[1]
        if (requestId !== undefined && stream.status === 200) listener.taker(requestId, stream)
        if (path === MAKER_STREAM && stream.status === 200) listener.maker(null, stream, headers)
        return stream
      },
    }
  }

  function watchMaker(maker: Maker): Maker {
    const quote: Maker['quote'] = async (requestId, terms = {}) => {
      const made = { ...QUOTE, ...terms }
      const noteAnswer = noteQuote(history, { maker, requestId, made })
      const answer = await maker.quote(requestId, made)
      noteAnswer(answer)
      return answer
    }
    return {
      ...maker,
      quote,
      quoted: async (requestId, terms) => {
        const { status, body, text } = await quote(requestId, terms)
        if (status !== 200) throw new Error(`the quote was refused: ${status} ${text}`)
        return body.quoteId
      },
      call: async (method, path, body) => {
        const sentAt = Date.now()
        const answer = await maker.call(method, path, body)
        const [, quoteId, declines] = ENDS_A_QUOTE.exec(path) ?? []
        if (quoteId !== undefined && declines === undefined && method === 'DELETE' && answer.status === 200)
          history.withdrawals.push({ quoteId, sentAt })
        if (quoteId !== undefined && declines !== undefined) history.declines.push({ quoteId, sentAt })
        return answer as never
      },
      connect: async () => {
        const socket = await maker.connect()
        listener.socket(maker.makerId, socket)
        return socket
      },
      stream: async (headers = {}) => {
        const stream = await maker.stream(headers)
        listener.maker(maker.makerId, stream, headers)
        return stream
      },
      confirm: async (quoteId, signature) => {
        const sentAt = Date.now()
        const answer = await maker.confirm(quoteId, signature)
        const { makerId } = maker
        const one = { makerId, quoteId: String(quoteId), signature: String(signature), sentAt, status: answer.status }
        history.confirms.push(one)
        return answer
      },
    }
  }

  return {
    history,
    watch: (node) => ({
      ...node,
      service: watchService(node.service),
      maker: (name) => watchMaker(node.maker(name)),
      accountHeaders: async () => {
        const headers = await node.accountHeaders()
        history.secrets.push({ name: 'an access token', value: headers.authorization.slice('Bearer '.length) })
        return headers
      },
    }),
    lost: () => {
      history.bookLosses.push(Date.now())
      listener.lost()
    },
    reread: async (node) => {
      for (const [requestId, { wallet, text, at }] of [...answers]) {
        answers.delete(requestId)
        if (Date.now() > at + ANSWERED_AGAIN_MS) continue
        const { text: kept } = await node.service.commit(requestId, { wallet })
        // The question itself is seen as a commit, whose answer is as old as the first one.
        answers.delete(requestId)
        history.promises.push({ what: `the commit of ${requestId}`, promised: text, kept })
      }
    },
    check: () => {
      const now = Date.now()
      Object.assign(history, listener.heard())
      const looks = [...history.looks, ...listener.looks(now)]
      expect(breachesOf({ ...history, looks })).toEqual([])
    },
  }
}
