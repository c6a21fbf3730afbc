import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Cli } from '../../../src/cli/cli.ts'
import { findItem, keepShownRows, type ListName, listShownRows } from '../../../src/cli/context/shown-rows.ts'
import { createOutput } from '../../../src/cli/terminal/output.ts'
import { NOWHERE, temporaryDir } from '../support.ts'

beforeEach(() => vi.useFakeTimers({ now: 1_000_000_000_000, toFake: ['Date'] }))
afterEach(() => vi.useRealTimers())

/** A folder, with what was said in it and how an item of these is chosen there. */
function folder() {
  const cwd = temporaryDir()
  const said: string[] = []
  const out = createOutput({
    stdout: { write: () => {} },
    stderr: { write: (text) => said.push(text) },
    isJson: false,
    allowsColor: false,
  })
  const stop = new AbortController().signal
  const cli: Cli = {
    out,
    program: 'rfqctl',
    environment: {},
    defaults: NOWHERE,
    cwd,
    stop,
    readStdin: async () => '',
  }
  const show = (ids: readonly string[], { shown = 'series', rows }: { shown?: ListName; rows?: number[] } = {}) =>
    keepShownRows(cli, {}, { shown, items: ids.map(itemOf), idOf, nameOf, ...(rows === undefined ? {} : { rows }) })
  const find = (text: string, ids: readonly string[], shown: ListName = 'series') =>
    findItem(
      cli,
      {},
      {
        text,
        shown,
        noun: 'series',
        items: ids.map(itemOf),
        idOf,
        nameOf,
        list: 'rfqctl series list',
      },
    ).id
  const listed = (shown: ListName = 'series') => listShownRows(join(cwd, '.rfqctl'), shown)
  return { cwd, said, show, find, listed }
}

const itemOf = (id: string) => ({ id, name: `name-${id}` })
const idOf = ({ id }: { id: string }) => id
const nameOf = ({ name }: { name: string }) => name

const notFound = (message: string, why: string) =>
  expect.objectContaining({ code: 'not_found', exitCode: 5, message, why: [why], hint: 'rfqctl series list' })

test('a row is that of the list that was shown, whatever the list is now, and what it is gets said', () => {
  const { show, find, said } = folder()
  show(['a', 'b'])
  vi.advanceTimersByTime(120_000)
  expect(find('@1', ['new', 'a', 'b'])).toBe('a')
  expect(said).toEqual(['@1 is name-a, in the list of 2m ago\n'])
})

test('the list shown last counts, of its own kind', () => {
  const { show, find } = folder()
  show(['a'])
  show(['m'], { shown: 'markets' })
  show(['b'])
  expect(find('@1', ['a', 'b', 'm'])).toBe('b')
  expect(find('@1', ['a', 'b', 'm'], 'markets')).toBe('m')
})

test('a row that the list did not have is refused, however many there are now', () => {
  const { show, find } = folder()
  show(['a', 'b', 'c', 'd', 'e', 'f'], { rows: [3, 5] })
  for (const text of ['@0', '@1', '@4', '@6']) {
    expect(() => find(text, ['a', 'b', 'c', 'd', 'e', 'f'])).toThrow(
      notFound(`the list of 1s ago has no row ${text}`, 'its rows are @3 to @5'),
    )
  }
  show([])
  expect(() => find('@1', ['a'])).toThrow(notFound('the list of 1s ago has no row @1', 'it has no rows'))
})

test('a row that an earlier list showed stays while it has not moved, and until its own hour is over', () => {
  const { show, find } = folder()
  show(['a', 'b', 'c'])
  vi.advanceTimersByTime(3_000_000)
  show(['a', 'new', 'b', 'c'], { rows: [4] })
  expect(find('@1', ['a', 'new', 'b', 'c'])).toBe('a')
  expect(find('@4', ['a', 'new', 'b', 'c'])).toBe('c')
  for (const text of ['@2', '@3']) expect(() => find(text, ['a', 'new', 'b', 'c'])).toThrow('has no row')
  vi.advanceTimersByTime(660_000)
  expect(() => find('@1', ['a', 'new', 'b', 'c'])).toThrow('@1 is a row of the list of 1h 1m ago')
  expect(find('@4', ['a', 'new', 'b', 'c'])).toBe('c')
})

test('a row that is gone is refused, and no other takes its place', () => {
  const { show, find } = folder()
  show(['a'])
  expect(() => find('@1', ['b'])).toThrow(notFound('@1 of the list of 1s ago is gone', 'a is no longer listed'))
})

test('a row counts for an hour', () => {
  const { show, find } = folder()
  show(['a'])
  vi.advanceTimersByTime(3_600_000)
  expect(find('@1', ['a'])).toBe('a')
  vi.advanceTimersByTime(60_000)
  expect(() => find('@1', ['a'])).toThrow(notFound('@1 is a row of the list of 1h 1m ago', 'a row counts for an hour'))
})

test('without a shown list the current one counts from its first use on, and that gets said', () => {
  const { find, said } = folder()
  expect(() => find('@3', ['a', 'b'])).toThrow(notFound('the list has no row @3', 'its rows are @1 to @2'))
  expect(find('@2', ['a', 'b'])).toBe('b')
  expect(find('@2', ['new', 'a', 'b'])).toBe('b')
  expect(said).toEqual(['@2 is name-b, in the list as it is now\n', '@2 is name-b, in the list of 1s ago\n'])
})

test('a folder that cannot be written shows its lists all the same, and says that their rows name nothing', () => {
  const { cwd, show, said } = folder()
  mkdirSync(join(cwd, '.rfqctl'))
  writeFileSync(join(cwd, '.rfqctl', 'shown'), 'a file')
  show(['a'])
  expect(said).toEqual([
    `warning: ${join(cwd, '.rfqctl', 'shown', 'series.json')} cannot be written: no row of this list can be named by @N\n`,
  ])
})

test('the rows that @N can name now are those shown within the hour, with their names', () => {
  const { show, listed } = folder()
  expect(listed()).toEqual([])
  show(['a', 'b'])
  vi.advanceTimersByTime(3_000_000)
  show(['a', 'b', 'c'], { rows: [3] })
  show(['m'], { shown: 'markets' })
  expect(listed().map(({ row, name }) => [row, name])).toEqual([
    [1, 'name-a'],
    [2, 'name-b'],
    [3, 'name-c'],
  ])
  vi.advanceTimersByTime(660_000)
  expect(listed()).toEqual([{ row: 3, name: 'name-c' }])
})

test.each([
  ['that is not JSON', '{'],
  ['of a former version, without names', JSON.stringify({ shownAt: 1e12, rows: { 1: { id: 'a', shownAt: 1e12 } } })],
  ['of something else', JSON.stringify({ rows: [null] })],
])('a file %s has no rows to offer', (_, text) => {
  const { cwd, listed } = folder()
  mkdirSync(join(cwd, '.rfqctl', 'shown'), { recursive: true })
  writeFileSync(join(cwd, '.rfqctl', 'shown', 'series.json'), text)
  expect(listed()).toEqual([])
})
