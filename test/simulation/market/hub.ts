import type { Link } from '../network/link.ts'

/** Messages of a server to the connections that listen, at most once, and to no connection that leads elsewhere. */
export type Hub = {
  /** What servers publish. */
  publish: (server: string, channel: string, message: unknown) => void
  listen: (listener: Listener) => () => void
}

/** `leadsTo`: the server that the connection leads to now. */
type Listener = { channel: string; link: Link; leadsTo: () => string; onMessage: (message: unknown) => void }

export function createHub(): Hub {
  const channels = new Map<string, Set<Listener>>()

  return {
    publish: (server, channel, message) => {
      for (const { link, leadsTo, onMessage } of channels.get(channel) ?? [])
        if (leadsTo() === server) link.send(channel, () => onMessage(message), channel.startsWith('bus:'))
    },
    listen: (listener) => {
      const { channel } = listener
      const own = { ...listener }
      const listeners = channels.get(channel) ?? new Set()
      channels.set(channel, listeners.add(own))
      return () => {
        listeners.delete(own)
        if (listeners.size === 0 && channels.get(channel) === listeners) channels.delete(channel)
      }
    },
  }
}
