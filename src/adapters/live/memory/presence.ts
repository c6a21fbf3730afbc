import type { Presence } from '../../../relay/ports/live.ts'

/** Who is connected to a single process. */
export function createLocalPresence(): Presence {
  const connections = { stream: new Map<string, Set<string>>(), socket: new Map<string, Set<string>>() }
  const socketListeners = new Set<(makerId: string) => void>()

  return {
    join: (channel, makerId, connectionId) => {
      const makers = connections[channel]
      const ofMaker = makers.get(makerId) ?? new Set()
      makers.set(makerId, ofMaker.add(connectionId))
      if (channel === 'socket') for (const listener of [...socketListeners]) listener(makerId)
      return () => {
        ofMaker.delete(connectionId)
        if (ofMaker.size === 0 && makers.get(makerId) === ofMaker) makers.delete(makerId)
      }
    },
    countStreams: async () => connections.stream.size,
    hasSocket: async (makerId) => connections.socket.has(makerId),
    list: async () =>
      [...new Set([...connections.stream.keys(), ...connections.socket.keys()])].map((makerId) => ({
        makerId,
        streams: connections.stream.get(makerId)?.size ?? 0,
        sockets: connections.socket.get(makerId)?.size ?? 0,
      })),
    onSocket: (listener) => {
      socketListeners.add(listener)
      return () => socketListeners.delete(listener)
    },
  }
}
