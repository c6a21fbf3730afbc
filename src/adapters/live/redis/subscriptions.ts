import type { Stop } from '../../../relay/ports/clock.ts'
import type { Log } from '../../../relay/ports/log.ts'
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
  function stopOf(channel: string, listener: (text: string) => void): Stop {
    let stopped = false
    return () => {
      if (stopped || !connection.isOpen) return
      stopped = true
      connection.unsubscribe(channel, listener).catch((fault: unknown) => {
        // A connection that was closed meanwhile listens to nothing.
        if (connection.isOpen) log.warn('redis_unsubscribe_failed', { fault })
      })
    }
  }

  return {
    subscribe: async (name, onMessage) => {
      const channel = prefix + name
      const listener = (text: string) => onMessage(text)
      const stop = stopOf(channel, listener)
      try {
        await answerOf(connection.subscribe(channel, listener))
      } catch (fault) {
        stop()
        throw fault
      }
      return stop
    },
    listen: (name, onMessage) => {
      const channel = prefix + name
      const listener = (text: string) => onMessage(text)
      connection
        .subscribe(channel, listener)
        .catch((fault: unknown) => log.warn('redis_subscribe_failed', { reason: name.split(':', 1)[0] ?? '', fault }))
      return stopOf(channel, listener)
    },
    settled: async () => {
      await connection.ping()
    },
  }
}
