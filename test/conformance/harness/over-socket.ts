import type { Answer } from '../../kit/http.ts'
import { createInbox } from '../../kit/inbox.ts'
import type { Maker } from './maker.ts'
import type { SseEvent, SseStream } from './sse.ts'

/** How a maker quotes: by HTTP, as the specification has it, or in messages on its socket. */
export const WAYS = ['HTTP', 'the socket'] as const

/** The same maker by a way; over the socket, what it posts and deletes of quotes is a message, whose answer reads as one of HTTP. */
export async function byWay(way: (typeof WAYS)[number], maker: Maker): Promise<Maker> {
  if (way === 'HTTP') return maker
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
      send(`{"type":"${type}","ref":"${ref}"${fieldsText === '{}' ? '}' : `,${fieldsText.slice(1)}`}`)
    })
  const call: Maker['call'] = (method, path, body) => {
    const [, quoteId, verb] = /^\/v1\/mm\/quotes(?:\/([^/]+)(?:\/(\w+))?)?$/.exec(path) ?? []
    if (method === 'POST' && path === '/v1/mm/quotes') return say('quote', JSON.stringify(body ?? {}))
    if (quoteId === undefined || (method !== 'DELETE' && verb === undefined)) return maker.call(method, path, body)
    return say(`quote:${verb ?? 'withdraw'}`, JSON.stringify({ ...(body as object | undefined), quoteId }))
  }
  const quote: Maker['quote'] = (requestId, terms = {}) =>
    call('POST', '/v1/mm/quotes', {
      requestId,
      quote: { maker: maker.wallet.address, side: 'buy', price: 0.12, size: 1_000, ...terms },
    })
  return {
    ...maker,
    stream: (headers = {}) => streamOver(maker, headers['last-event-id']),
    call,
    quote,
    post: (text) => say('quote', text),
    quoted: async (requestId, terms) => {
      const { status, body, text } = await quote(requestId, terms)
      if (status !== 200) throw new Error(`the quote was refused: ${status} ${text}`)
      return body.quoteId
    },
    confirm: (quoteId, signature) => call('POST', `/v1/mm/quotes/${quoteId}/confirm`, { signature }),
  }
}

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
