import type { Bus, BusMessages, MakerMessage } from '../../../core/ports/live.ts'
import type { Log, Stop } from '../../../core/ports/runtime.ts'
import type { Rejection } from '../../../core/ports/store.ts'

type Listener = (message: BusMessages[keyof BusMessages]) => void

/** Messages reach the subscribers before `publish` resolves, and before `reject` returns. */
export function createLocalBus({ log }: { log: Log }): Bus {
  const topics = new Map<keyof BusMessages, Map<string, Set<Listener>>>()

  function pass(
    topic: keyof BusMessages,
    listeners: Iterable<Listener>,
    message: BusMessages[keyof BusMessages],
  ): void {
    for (const listener of listeners) {
      try {
        listener(message)
      } catch (fault) {
        log.error('bus_listener_failed', { reason: topic, fault })
      }
    }
  }

  return {
    publish: async (topic, key, message) => pass(topic, topics.get(topic)?.get(key) ?? [], message),
    reject: (rejections) => {
      const makers = topics.get('maker')
      for (const rejection of rejections) {
        const listeners = makers?.get(rejection.makerId)
        if (listeners !== undefined) pass('maker', listeners, rejectedBy(rejection))
      }
    },
    subscribe: (topic, key, onMessage) => {
      const channels = topics.get(topic) ?? new Map<string, Set<Listener>>()
      topics.set(topic, channels)
      return subscribe(channels, key, onMessage as Listener)
    },
  }
}

export const rejectedBy = ({ requestId, quoteId, reason, feedback }: Rejection): MakerMessage =>
  feedback === undefined
    ? { kind: 'rejected', requestId, quoteId, reason }
    : { kind: 'rejected', requestId, quoteId, reason, feedback }

function subscribe(channels: Map<string, Set<Listener>>, channel: string, onMessage: Listener): Stop {
  // A new function, so that one listener can subscribe twice.
  const listener: Listener = (message) => onMessage(message)
  const listeners = channels.get(channel) ?? new Set()
  channels.set(channel, listeners.add(listener))
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0 && channels.get(channel) === listeners) channels.delete(channel)
  }
}
