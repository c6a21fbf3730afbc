import { expect } from 'vitest'
import type { Answer } from '../../kit/http.ts'
import { createInbox } from '../../kit/inbox.ts'
import type { Maker } from './maker.ts'
import type { SseEvent, SseStream } from './sse.ts'

/** How a maker quotes: by HTTP, as the specification has it, or in messages on its socket. */
export const WAYS = ['HTTP', 'the socket'] as const

/** By these, and by HTTP in a list of quotes. */
export const WAYS_TO_QUOTE = [...WAYS, 'a list of quotes'] as const

/** The same maker by a way; over the socket, what it posts and deletes of quotes is a message, whose answer reads as one of HTTP. */
export async function byWay(way: (typeof WAYS_TO_QUOTE)[number], maker: Maker): Promise<Maker> {
  if (way === 'HTTP') return maker
  if (way === 'a list of quotes') return inLists(maker)
  const { socket, send } = await maker.connect()
  const waiting = new Map<string, (answer: Answer) => void>()
  socket.on('message', (data) => {
    const { type, ref, status = 200, ...fields } = JSON.parse(data.toString())
    if (type !== 'quote:ok' && type !== 'quote:error') return
    const success = type === 'quote:ok'
    const body = { success, ...fields }
    waiting.get(ref)?.({ status, body, text: JSON.stringify(body), headers: new Headers() })
    waiting.delete(ref)
  })
  const say = <Body>(type: string, fieldsText: string) =>
    new Promise<Answer<Body>>((resolve) => {
      const ref = crypto.randomUUID()
      waiting.set(ref, resolve as (answer: Answer) => void)
      send(withFields({ type, ref }, fieldsText))
    })
  const call: Maker['call'] = (method, path, body) => {
    const [, quoteId, verb] = /^\/v1\/mm\/quotes(?:\/([^/]+)(?:\/(\w+))?)?$/.exec(path) ?? []
    if (method === 'POST' && path === '/v1/mm/quotes') return say('quote', JSON.stringify(body ?? {}))
    if (quoteId === undefined || (method !== 'DELETE' && verb === undefined)) return maker.call(method, path, body)
    return say(`quote:${verb ?? 'withdraw'}`, JSON.stringify({ ...(body as object | undefined), quoteId }))
  }
  return {
    ...maker,
    ...quotingBy(maker, (text) => say('quote', text)),
    stream: (headers = {}) => streamOver(maker, headers['last-event-id']),
    call,
    confirm: (quoteId, signature) => call('POST', `/v1/mm/quotes/${quoteId}/confirm`, { signature }),
  }
}

/** Each quote is the second of a list, behind one that means nothing. */
function inLists(maker: Maker): Maker {
  const post = async (fieldsText: string): Promise<Answer> => {
    const ref = crypto.randomUUID()
    const answer = await maker.post(`{"quotes":[{},${withFields({ ref }, fieldsText)}]}`, '/v1/mm/quotes/batch')
    const [meaningless, result] = (answer.body as { results?: Record<string, unknown>[] }).results ?? []
    if (result === undefined) return answer
    expect(meaningless).toMatchObject({ type: 'quote:error', status: 400, code: 'invalid_request' })
    const { type, ref: echoed, status = 200, ...fields } = result
    expect(echoed).toBe(ref)
    const body = { success: type === 'quote:ok', ...fields }
    return { ...answer, status: Number(status), body, text: JSON.stringify(body) }
  }
  const call: Maker['call'] = <Body>(method: string, path: string, body?: unknown) =>
    method === 'POST' && path === '/v1/mm/quotes'
      ? (post(JSON.stringify(body ?? {})) as Promise<Answer<Body>>)
      : maker.call<Body>(method, path, body)
  return { ...maker, ...quotingBy(maker, post), call }
}

/** How a maker quotes, where each quote is posted as a text of JSON. */
function quotingBy(maker: Maker, post: Maker['post']): Pick<Maker, 'quote' | 'post' | 'quoted'> {
  const quote: Maker['quote'] = (requestId, terms = {}) => {
    const standard = { maker: maker.wallet.address, side: 'buy', price: 0.12, size: 1_000 }
    return post(JSON.stringify({ requestId, quote: { ...standard, ...terms } })) as ReturnType<Maker['quote']>
  }
  return {
    post,
    quote,
    quoted: async (requestId, terms) => {
      const { status, body, text } = await quote(requestId, terms)
      if (status !== 200) throw new Error(`the quote was refused: ${status} ${text}`)
      return body.quoteId
    },
  }
}

/** A text of JSON with more fields in front. */
const withFields = (fields: object, text: string): string =>
  `${JSON.stringify(fields).slice(0, -1)}${text === '{}' ? '}' : `,${text.slice(1)}`}`

/** The maker stream on a socket of its own, as if it were a stream. */
async function streamOver(maker: Maker, lastEventId: string | undefined): Promise<SseStream> {
  const { socket, send, close, closed } = await maker.connect()
  const events = createInbox<SseEvent>('the requests of the socket')
  let text = ''
  socket.on('message', (data) => {
    text += data.toString()
    const { type, event, id, data: told } = JSON.parse(data.toString())
    if (type === 'requests') events.put({ event, id: id === undefined ? null : String(id), data: told })
  })
  send({ type: 'subscribe', to: 'requests', ...(lastEventId === undefined ? {} : { lastEventId }) })
  const ended = closed.then(() => events.end('the socket closed'))
  return {
    status: 200,
    headers: new Headers(),
    events,
    until: (event, condition = () => true) => events.until((item) => item.event === event && condition(item.data)),
    commented: () => Promise.reject(new Error('a socket has no comments')),
    text: () => text,
    ended,
    close,
  }
}
