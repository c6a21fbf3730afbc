import type { Line } from '../../line.ts'
import type { Advice, Scene as ViewScene } from '../../views/view.ts'
import type { Area } from '../table.ts'

/** What a panel is drawn from; `chosen` is the index of the chosen row. */
export type Scene = ViewScene & { chosen: number }

/** A part of the screen: lines that fill an area. It only draws: it has no effects and keeps nothing. */
export type Panel = (scene: Scene, area: Area) => Line[]

/** Sentences as texts: a command line stands apart. */
export const adviceTexts = (advice: readonly Advice[]): string[] =>
  advice.map((part) => (typeof part === 'string' ? part : `  ${part.command}`))
