import type { Log, Stop } from '../../../core/ports/runtime.ts'
import { answerOf, type Connection } from './connection.ts'

/** The channels that this node listens on. */
export type Subscriptions = {
  /** Resolves once every message from now on is heard. Fails with `store_unavailable`. */
  subscribe: (channel: string, listener: (text: string) => void) => Promise<Stop>
  /** Hears messages as soon as the channel is there, and again after each loss of the connection. */
  listen: (channel: string, listener: (text: string) => void) => Stop
  /** Resolves when what was published before has been heard. */
  settled: () => Promise<void>
}

/** Subscriptions on a connection that serves nothing else. */
export function createSubscriptions({
  connection,
  prefix,
  log,
}: {
  connection: Connection
  prefix: string
  log: Log
}): Subscriptions {
  /** Adds a listener to a channel. Taken away before Redis answered, it would take the others of its channel with it. */
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
          // A connection that was closed meanwhile listens to nothing.
          if (connection.isOpen) log.warn('redis_unsubscribe_failed', { fault })
        })
      },
    }
  }

  return {
    subscribe: async (name, onMessage) => {
      const { subscribed, stop } = add(prefix + name, onMessage)
      try {
        await answerOf(subscribed)
      } catch (fault) {
        stop()
        throw fault
      }
      return stop
    },
    listen: (name, onMessage) => {
      const { subscribed, stop } = add(prefix + name, onMessage)
      subscribed.catch((fault: unknown) =>
        log.warn('redis_subscribe_failed', { reason: name.split(':', 1)[0] ?? '', fault }),
      )
      return stop
    },
    settled: async () => {
      await connection.ping()
    },
  }
}
