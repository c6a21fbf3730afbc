import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { FastifyInstance } from 'fastify'
import type { Stop } from '../core/ports/runtime.ts'

/** A running commit waits for its maker's answer on these routes. */
export const ANSWERS_TO_COMMITS: readonly (string | undefined)[] = [
  '/v1/mm/quotes/:quoteId/confirm',
  '/v1/mm/quotes/:quoteId/decline',
]

export type Shutdown = ReturnType<typeof createShutdown>

export function createShutdown() {
  let closing = false
  const waiting = new Set<(refusal: RfqError) => void>()
  const watchers: (() => void)[] = []
  const begun = new Set<() => void>()

  function leave(reject: (refusal: RfqError) => void): void {
    waiting.delete(reject)
    if (waiting.size === 0) for (const resolve of watchers.splice(0)) resolve()
  }

  return {
    isClosing: (): boolean => closing,
    /** Refuses new requests with `shutting_down` from now on. */
    begin: (): void => {
      closing = true
      for (const listener of begun) listener()
    },
    /** Calls back when it begins, at once where it has: a call that waits for quotes is answered with those that there are. */
    onBegin: (listener: () => void): Stop => {
      if (closing) listener()
      begun.add(listener)
      return () => void begun.delete(listener)
    },
    /** Rejects all long calls that are waited for with `shutting_down`. */
    giveUp: (): void => {
      for (const reject of waiting) {
        reject(new RfqError('shutting_down'))
        leave(reject)
      }
    },
    /** Resolves when no long call is waited for, however each ended. */
    finished: () =>
      new Promise<void>((resolve) => {
        if (waiting.size === 0) resolve()
        else watchers.push(resolve)
      }),
    /** Rejects with `shutting_down` when the call takes too long; the call itself continues. */
    race: <T>(call: Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        waiting.add(reject)
        call.then(resolve, reject).finally(() => leave(reject))
      }),
  }
}

/** Lets a maker's answers through that a running commit waits for, so that it can finish. */
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
