import type { Stop } from './clock.ts'

/** Who is connected, over all nodes. */
export type Presence = {
  /** A maker's live stream or socket, until the returned function is called. */
  join: (channel: 'stream' | 'socket', makerId: string, connectionId: string) => Stop
  /** Distinct makers with a live stream. */
  countStreams: () => Promise<number>
  hasSocket: (makerId: string) => Promise<boolean>
  /** Every maker that is connected, with its connections. */
  list: () => Promise<readonly ConnectedMaker[]>
  /** Hears of each socket that joins. */
  onSocket: (listener: (makerId: string) => void) => Stop
}

/** A maker that is connected, by how many streams and sockets. */
export type ConnectedMaker = { makerId: string; streams: number; sockets: number }
