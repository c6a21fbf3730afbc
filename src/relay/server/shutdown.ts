import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { FastifyInstance } from 'fastify'

/** The routes that a running commit waits for: those of its maker's answer. */
export const ANSWERS_TO_COMMITS: readonly (string | undefined)[] = [
  '/v1/mm/quotes/:quoteId/confirm',
  '/v1/mm/quotes/:quoteId/decline',
]

/** Where the server stands between its first and its last request. */
export type Shutdown = {
  isClosing: () => boolean
  /** From now on new requests are refused with `shutting_down`. */
  begin: () => void
  /** From now on nothing is waited for any longer. */
  giveUp: () => void
  /** Resolves when no long call is waited for, however each ended. */
  finished: () => Promise<void>
  /** The outcome of a long call, or `shutting_down` when it takes too long; the call itself goes on. */
  race: <T>(call: Promise<T>) => Promise<T>
}

/** A server that is not closing yet. */
export function createShutdown(): Shutdown {
  let closing = false
  const waiting = new Set<(refusal: RfqError) => void>()
  const watchers: (() => void)[] = []

  function leave(reject: (refusal: RfqError) => void): void {
    waiting.delete(reject)
    if (waiting.size === 0) for (const resolve of watchers.splice(0)) resolve()
  }

  return {
    isClosing: () => closing,
    begin: () => {
      closing = true
    },
    giveUp: () => {
      for (const reject of waiting) {
        reject(new RfqError('shutting_down'))
        leave(reject)
      }
    },
    finished: () =>
      new Promise((resolve) => {
        if (waiting.size === 0) resolve()
        else watchers.push(resolve)
      }),
    race: <T>(call: Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        waiting.add(reject)
        call.then(resolve, reject).finally(() => leave(reject))
      }),
  }
}

/** Refuses new requests of a server that closes. What a running commit waits for is taken to the end, so that it can finish. */
export function refuseWhileClosing(app: FastifyInstance, { isClosing }: Shutdown): void {
  app.addHook('onRequest', (request, _, done) => {
    const isRefused = isClosing() && !ANSWERS_TO_COMMITS.includes(request.routeOptions.url)
    done(isRefused ? new RfqError('shutting_down') : undefined)
  })
  app.addHook('onSend', (_, reply, __, done) => {
    if (isClosing()) reply.header('connection', 'close')
    done()
  })
}
