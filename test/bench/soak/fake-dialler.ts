import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { Dialler } from '../../../bench/soak/dialler.ts'

/** A dialler whose one connection is played by the test: what was written to it, and what comes from the other side. */
export function createFakeDialler(): {
  dialler: Dialler
  written: string[]
  says: (text: string) => void
  ends: (fault: Error) => void
} {
  const written: string[] = []
  const handlers: Parameters<Dialler['dial']>[0][] = []
  const last = () => handlers.at(-1) as Parameters<Dialler['dial']>[0]
  return {
    written,
    says: (text) => last().onText(text),
    ends: (fault) => last().onEnd(fault),
    dialler: {
      live: () => handlers.length,
      closeAll: () => {},
      dial: (given) => {
        handlers.push(given)
        return Object.assign(new EventEmitter(), {
          write: (data: string | Buffer) => written.push(data.toString('latin1')),
          destroy: (fault?: Error) => given.onEnd(fault ?? new Error('closed')),
        }) as unknown as Socket
      },
    },
  }
}
