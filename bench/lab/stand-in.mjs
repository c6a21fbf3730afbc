import { randomUUID } from 'node:crypto'
import Fastify from 'fastify'
import { WebSocketServer } from 'ws'
import { offer } from './rpc.mjs'

/**
 * A relay of the shape that a public one has: a socket for each maker, a message for each quote, which is answered by nothing. It
 * sorts the quotes of a request, answers with the best, and forgets them. No key, no check, no funds, no book.
 */

const EVENTS = 'text/event-stream'

const makers = new Set()

/** What is asked for now. */
const open = new Map()

function ask(terms, onQuote) {
  const requestId = randomUUID()
  const request = { quotes: [], awaited: makers.size, onQuote }
  open.set(requestId, request)
  const message = JSON.stringify({ type: 'quote_request', requestId, ...terms })
  for (const maker of makers) maker.send(message)
  return requestId
}

function take({ requestId, quote }) {
  const request = open.get(requestId)
  if (request === undefined) return
  request.quotes.push(quote)
  request.quotes.sort((a, b) => a.price - b.price)
  if (request.quotes.length === request.awaited) open.delete(requestId)
  request.onQuote(request)
}

const isComplete = ({ quotes, awaited }) => quotes.length === awaited
const topOf = ({ quotes }) => JSON.stringify({ best: quotes[0], quoteCount: quotes.length, isBest: true })

offer({
  listen: async () => {
    const app = Fastify()
    /** Asks and answers in one call, once all makers have quoted. */
    app.post('/quote', (request, reply) => {
      ask(request.body, (asked) => {
        if (isComplete(asked)) reply.header('content-type', 'application/json').send(topOf(asked))
      })
    })
    /** Asks, and the stream of the request, on this call or one of its own, shows the best of each turn of the event loop. */
    const followed = new Map()
    app.post('/quote-requests', (request, reply) => {
      const stream = { asked: null, reply: null, isDue: false }
      const requestId = ask(request.body, (asked) => {
        stream.asked = asked
        show(stream)
      })
      if (request.headers.accept === EVENTS) {
        begin(stream, reply)
        stream.reply.write(`event: opened\ndata: ${JSON.stringify({ requestId })}\n\n`)
        return
      }
      followed.set(requestId, stream)
      reply.send({ requestId })
    })
    app.get('/quote-requests/:id/stream', (request, reply) => {
      const stream = followed.get(request.params.id)
      followed.delete(request.params.id)
      begin(stream, reply)
      show(stream)
    })
    const sockets = new WebSocketServer({ server: app.server, perMessageDeflate: false })
    sockets.on('connection', (socket) => {
      makers.add(socket)
      socket.on('message', (data) => take(JSON.parse(data.toString())))
      socket.on('close', () => makers.delete(socket))
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    return app.server.address().port
  },
})

function begin(stream, reply) {
  reply.hijack()
  reply.raw.writeHead(200, { 'content-type': EVENTS })
  stream.reply = reply.raw
}

function show(stream) {
  if (stream.asked === null || stream.reply === null || stream.isDue) return
  stream.isDue = true
  setImmediate(() => {
    stream.isDue = false
    stream.reply.write(`event: best_quote\ndata: ${topOf(stream.asked)}\n\n`)
  })
}
