import type { Side } from '../../../src/protocol/domain/request.ts'
import type { MakerName } from '../venue/identities.ts'

/** What a taker asks for. */
export type Asked = 'call' | 'put' | 'package' | 'short call' | 'both sides'

/** Something that is done to a venue at a time, milliseconds since its start. What makers and takers do then follows from the seed. */
export type Action = { at: number } & (
  | {
      do: 'open'
      id: number
      taker: number
      asks: Asked
      namesWallet: boolean
      inventory: boolean
      /** All that its taker does: it commits so many milliseconds later on a side; null: it does not. Absent: its draws say. */
      commits?: { afterMs: number; side: Side } | null
    }
  | {
      do: 'protect'
      maker: MakerName
      maxAccepted: number | null
      windowMs: number
      graceMs: number | null
      channels: 'any' | 'all'
      freezeMs: number
    }
  | { do: 'reset'; maker: MakerName }
  | { do: 'drop'; maker: MakerName; forMs: number }
  | { do: 'drop all'; forMs: number }
  | { do: 'block'; maker: MakerName; forMs: number }
  | { do: 'reinstate'; maker: MakerName }
  | { do: 'settle'; node: number; cents: number }
  | { do: 'empty wallet'; forMs: number }
  | { do: 'reorganise'; depth: number }
  | { do: 'chain down'; forMs: number }
  | { do: 'kill'; node: number; forMs: number }
  | { do: 'kill at'; node: number; call: string; forMs: number }
  | { do: 'freeze'; node: number; forMs: number }
  | { do: 'cut'; node: number; link: 'database' | 'market'; isHalfOpen: boolean; forMs: number }
  | { do: 'slow'; node: number; link: 'database' | 'market'; byMs: number; forMs: number }
  | { do: 'lose'; node: number; link: 'database' | 'market'; share: number; forMs: number }
  | { do: 'empty market' }
  | { do: 'fail over'; lostMs: number; backAfterMs: number | null; ledBackMs: number }
  | { do: 'restore'; backMs: number; downMs: number }
  | { do: 'set clock'; byMs: number }
)

/** All that a run depends on. */
export type Plan = { seed: number; nodes: number; minutes: number; actions: readonly Action[] }
