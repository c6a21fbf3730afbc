import type { ObservationOf } from './observation.ts'

/** How far the clocks of nodes were from that of their observers at most between two moments, Unix milliseconds. */
export type ApartMs = (from: number, until?: number) => number

/** Remembers how far clocks were apart. */
export function createClocksApart(): {
  observe: (observation: ObservationOf<'clocks_apart'>) => void
  apartMs: ApartMs
} {
  const times: ObservationOf<'clocks_apart'>[] = []
  return {
    observe: (observation) => void times.push(observation),
    apartMs: (from, until = from) =>
      times.reduce((most, one) => (one.from <= until && from <= one.until ? Math.max(most, one.byMs) : most), 0),
  }
}
