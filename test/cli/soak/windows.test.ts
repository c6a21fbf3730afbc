import { expect, test } from 'vitest'
import { unevenness, type Window } from '../../../src/cli/soak/windows.ts'

const MIB = 2 ** 20
const steady: Window = {
  traded: 3_000,
  cancelled: 100,
  skipped: 0,
  p50Ms: 5,
  p99Ms: 20,
  heapBytes: 60 * MIB,
  descriptors: 450,
}
const soak = (...last: Partial<Window>[]): Window[] => [
  steady,
  steady,
  ...Array.from({ length: 3 }, (_, i) => ({ ...steady, ...last[i % last.length] })),
]

test('windows that are alike are even, and so is a soak of one window', () => {
  expect(unevenness(soak({}))).toEqual([])
  expect(unevenness([steady])).toEqual([])
})

test('what is remembered of closed requests for a quarter of an hour is no leak', () => {
  expect(unevenness(soak({ heapBytes: 150 * MIB }))).toEqual([])
})

test('a heap that outgrows it, descriptors that stay open and commits that slow down are each told', () => {
  expect(unevenness(soak({ heapBytes: 400 * MIB }))).toEqual(['the heap rose from 60 to 400 MiB over 12400 requests'])
  expect(unevenness(soak({ descriptors: 3_000 }))).toEqual(['descriptors rose from 450 to 3000'])
  expect(unevenness(soak({ p99Ms: 61 }))).toEqual(['the p99 of a commit rose from 20.0 to 61.0 ms'])
})

test('one bad window at the end is no trend', () => {
  expect(unevenness(soak({}, {}, { p99Ms: 900, descriptors: 3_000, heapBytes: 900 * MIB }))).toEqual([])
})

test('a machine that did not keep up with the rounds has shown nothing', () => {
  expect(unevenness(soak({}, { skipped: 1 }, {}))).toEqual(['rounds were skipped: the machine did not keep up'])
})
