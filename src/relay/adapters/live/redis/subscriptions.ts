import type { Clock, Log, Stop } from '../../../core/ports/runtime.ts'
import { answerOf, type Connection } from './connection.ts'
import type { RunFunction } from './functions.ts'

export type Subscriptions = ReturnType<typeof createSubscriptions>

/** Parts of the live market share these. `node` is the id of this process. */
export type RedisParts = {
  connection: Connection
  prefix: string
  run: RunFunction
  subscriptions: Subscriptions
  node: string
  clock: Clock
  log: Log
}

/** Needs a connection that serves nothing else. */
export function createSubscriptions({ connection, prefix, log }: Pick<RedisParts, 'connection' | 'prefix' | 'log'>) {
  /** A listener removed before Redis answered would take the others of its channel with it. */
  function add(channel: string, onMessage: (text: string) => void): { subscribed: Promise<void>; stop: Stop } {
    let isStopped = false
    const listener = (text: string) => {
      if (!isStopped) onMessage(text)
    }
    const subscribed = connection.subscribe(channel, listener)
    const remove = async () => {
      await subscribed.catch(() => {})
      if (connection.isOpen) await connection.unsubscribe(channel, listener)
    }
    return {
      subscribed,
      stop: () => {
        if (isStopped) return
        isStopped = true
        remove().catch((fault: unknown) => {
          // A connection that was closed meanwhile has no subscriptions.
          if (connection.isOpen) log.warn('redis_unsubscribe_failed', { fault })
        })
      },
    }
  }

  return {
    /** Resolves once every message from now on is received. Fails with `store_unavailable`. */
    subscribe: async (name: string, onMessage: (text: string) => void): Promise<Stop> => {
      const { subscribed, stop } = add(prefix + name, onMessage)
      try {
        await answerOf(subscribed)
      } catch (fault) {
        stop()
        throw fault
      }
      return stop
    },
    /** Subscribes as soon as Redis is reachable, and again after each loss of the connection. */
    listen: (name: string, onMessage: (text: string) => void): Stop => {
      const { subscribed, stop } = add(prefix + name, onMessage)
      subscribed.catch((fault: unknown) =>
        log.warn('redis_subscribe_failed', { reason: name.split(':', 1)[0] ?? '', fault }),
      )
      return stop
    },
    /** Resolves when everything published before has been received. */
    settled: async (): Promise<void> => {
      await connection.ping()
    },
  }
}
