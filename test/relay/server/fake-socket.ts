import { EventEmitter } from 'node:events'

/** A socket of a stream whose system takes bytes at once, or, while it is stuck, only when it is told to. */
export function createFakeSocket() {
  const events = new EventEmitter()
  const taken: string[] = []
  const pending: { text: string; done: (() => void) | undefined }[] = []
  const socket = {
    stuck: false,
    writable: true,
    writableLength: 0,
    bytesWritten: 0,
    destroyed: false,
    cork: () => {},
    uncork: () => {},
    write: (frame: Buffer, done?: () => void) => {
      socket.bytesWritten += frame.length
      if (!socket.stuck) {
        taken.push(frame.toString())
        queueMicrotask(() => done?.())
        return
      }
      socket.writableLength += frame.length
      pending.push({ text: frame.toString(), done })
    },
    destroy: () => {
      socket.destroyed = true
      socket.writable = false
      events.emit('close')
    },
    destroySoon: () => socket.destroy(),
    on: (name: string, listener: () => void) => events.on(name, listener),
    once: (name: string, listener: () => void) => events.once(name, listener),
    removeListener: (name: string, listener: () => void) => events.removeListener(name, listener),
  }
  return {
    socket,
    taken,
    /** The system takes what waits. */
    drain: async () => {
      socket.stuck = false
      for (const { text, done } of pending.splice(0)) {
        socket.writableLength -= Buffer.byteLength(text)
        taken.push(text)
        done?.()
      }
      await Promise.resolve()
    },
  }
}
