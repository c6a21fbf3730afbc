import Fastify from 'fastify'
import { QuotedAnswer, SubmitQuoteBody } from '../../dist/modules/protocol/wire/submit-quote.js'
import { offer } from './rpc.mjs'

const ANSWER = { success: true, quoteId: '6b1f0e0a-3f5c-4f0e-9a53-0d4f1c2b3a49', price: 0.12 }

offer({
  listen: async () => {
    // `must` is the noun phrase of our refusals, which a strict Ajv asks about.
    const app = Fastify({ ajv: { customOptions: { keywords: ['must'] } } })
    app.post(
      '/v1/mm/quotes',
      { schema: { body: SubmitQuoteBody, response: { 200: QuotedAnswer } } },
      async () => ANSWER,
    )
    await app.listen({ host: '127.0.0.1', port: 0 })
    return app.server.address().port
  },
})
