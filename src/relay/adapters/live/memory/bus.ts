import type { Bus, BusMessages } from '../../../core/ports/live.ts'
import type { Log, Stop } from '../../../core/ports/runtime.ts'

type Listener = (message: BusMessages[keyof BusMessages]) => void

/** Messages reach the subscribers before `publish` resolves. */
export function createLocalBus({ log }: { log: Log }): Bus {
  const channels = new Map<string, Set<Listener>>()

  return {
    publish: async (topic, key, message) => {
      for (const listener of channels.get(`${topic}:${key}`) ?? []) {
        try {
          listener(message)
        } catch (fault) {
          log.error('bus_listener_failed', { reason: topic, fault })
        }
      }
    },
    subscribe: (topic, key, onMessage) => subscribe(channels, `${topic}:${key}`, onMessage as Listener),
  }
}

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
