import { WebSocket } from 'ws'
import type { Meter } from '../../core/ports/operations.ts'
import type { Clock } from '../../core/ports/runtime.ts'

export type SocketRegistry = ReturnType<typeof createSocketRegistry>

const PING_MS = 25_000

/** A socket that broke right after a pong is found within 33 s. */
const PONG_MS = 8_000

const GOING_AWAY = 1001

/** Pings maker sockets, ends dead ones, and closes all at shutdown. */
export function createSocketRegistry({ clock, meter }: { clock: Clock; meter: Meter }) {
  const sockets = new Map<WebSocket, () => void>()
  const unanswered = new Set<WebSocket>()

  function ping(): void {
    for (const socket of sockets.keys()) {
      if (socket.readyState !== WebSocket.OPEN) continue
      unanswered.add(socket)
      socket.ping()
    }
    stopTimer = clock.schedule(clock.now() + PONG_MS, dropSilent)
  }

  function dropSilent(): void {
    // A paused socket may have a pong that is not read yet.
    for (const socket of unanswered) if (!socket.isPaused) socket.terminate()
    unanswered.clear()
    stopTimer = clock.schedule(clock.now() + PING_MS - PONG_MS, ping)
  }

  let stopTimer = clock.schedule(clock.now() + PING_MS, ping)

  return {
    /** `flush` writes held messages before the socket is closed. */
    add: (socket: WebSocket, flush: () => void): void => {
      const uncount = meter.connected('maker_socket')
      sockets.set(socket, flush)
      socket.on('pong', () => unanswered.delete(socket))
      socket.on('close', () => {
        sockets.delete(socket)
        uncount()
        unanswered.delete(socket)
      })
    },
    closeAll: (): void => {
      stopTimer()
      for (const [socket, flush] of sockets) {
        flush()
        socket.close(GOING_AWAY, 'the relay is shutting down')
      }
    },
    terminateAll: (): void => {
      for (const socket of sockets.keys()) socket.terminate()
    },
  }
}
