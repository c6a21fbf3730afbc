import type { Line } from '../line.ts'
import type { Market } from '../market.ts'
import type { Area } from '../table.ts'
import type { Theme } from '../theme.ts'

/** What a panel is drawn from. `now` is the relay's time, Unix milliseconds; `chosen` the index of the chosen row. */
export type Scene = {
  market: Market
  now: number
  theme: Theme
  filter: string
  chosen: number
}

/** A part of the screen: lines that fill an area. It only draws: it has no effects and keeps nothing. */
export type Panel = (scene: Scene, area: Area) => Line[]
