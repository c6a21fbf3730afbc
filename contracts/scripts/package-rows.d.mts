import type { Leg, VanillaOption } from '../../src/protocol/domain/option.ts'

export const ROW_BYTES: number
export const quantityPairs: readonly (readonly [number, number])[]
export function optionsOn(step: number): VanillaOption[]
export function pairsOf(options: readonly VanillaOption[], first: number): Generator<Leg[]>
export function packageOf(draw: bigint): Leg[] | null
export function rowOf(legs: readonly Leg[]): Buffer
