import { join } from 'node:path'
import { CliError } from '@rfqctl/lib/cli-error'
import { duration, shortId } from '@rfqctl/lib/format'
import { readPrivateJson, writePrivateJson } from '@rfqctl/lib/private-file'
import type { Cli } from '../cli.ts'
import { type Choice, findByPrefix } from './find-by-prefix.ts'
import { dataDirOf } from './targets.ts'

export type ListName = 'series' | 'markets' | 'keys' | 'requests'

/** A person who reads an older list no longer sees the market. */
const ROWS_COUNT_MS = 3_600_000

/** `shownAt` is in Unix milliseconds. */
type ShownRow = { id: string; name: string; shownAt: number }

/** `shownAt` is of the last listing, in Unix milliseconds; rows are by number. */
type Shown = { shownAt: number; rows: Readonly<Record<string, ShownRow>> }

/** Items that `@N` selects, too; `nameOf` is shown to confirm the choice. */
export type RowChoice<Item> = Choice<Item> & { shown: ListName; nameOf: (item: Item) => string }

const pathOf = (dataDir: string, list: ListName): string => join(dataDir, 'shown', `${list}.json`)

/**
 * Records the rows of a list as it is shown, so that `@N` keeps its meaning when the list changes. `rows` are the
 * numbers of `items` that are shown (default: all); earlier rows remain while their item has not moved. A failure to
 * write is only a warning.
 */
export function keepShownRows<Item>(
  cli: Cli,
  options: { dataDir?: string },
  { shown, items, idOf, nameOf, rows = items.map((_, index) => index + 1) }: ShownList<Item>,
): void {
  const path = pathOf(dataDirOf(cli, options), shown)
  const shownAt = Date.now()
  try {
    const before = Object.entries(readPrivateJson<Shown>(path)?.rows ?? {})
    const unmoved = before.filter(([row, { id }]) => {
      const item = items[Number(row) - 1]
      return item !== undefined && idOf(item) === id
    })
    const now = rows.flatMap((row) => {
      const item = items[row - 1]
      return item === undefined ? [] : [[row, { id: idOf(item), name: nameOf(item), shownAt }] as const]
    })
    writePrivateJson(path, { shownAt, rows: Object.fromEntries([...unmoved, ...now]) })
  } catch {
    const message = `${path} cannot be written`
    cli.out.advise({ type: 'rows_not_kept', message }, `warning: ${message}: no row of this list can be named by @N`)
  }
}

type ShownList<Item> = Pick<RowChoice<Item>, 'shown' | 'items' | 'idOf' | 'nameOf'> & { rows?: number[] }

/** Rows of the list last shown that `@N` can name now; empty where the record cannot be read. */
export function listShownRows(dataDir: string, list: ListName): { row: number; name: string }[] {
  try {
    const rows = Object.entries(readPrivateJson<Shown>(pathOf(dataDir, list))?.rows ?? {})
    return rows
      .filter(([, { name, shownAt }]) => typeof name === 'string' && Date.now() - shownAt <= ROWS_COUNT_MS)
      .map(([row, { name }]) => ({ row: Number(row), name }))
  } catch {
    return []
  }
}

/**
 * `@3` is row 3 of the list last shown in this folder, by any terminal; other texts are prefixes of an id. The chosen
 * row is shown. Without a record, the current list becomes the record. Refuses with `not_found` a row that is not in
 * the list, is gone, or is older than an hour.
 */
export function findItem<Item>(
  cli: Cli,
  options: { dataDir?: string },
  { text, ...choice }: RowChoice<Item> & { text: string },
): Item {
  const row = /^@(\d{1,6})$/.exec(text)?.[1]
  if (row === undefined) return findByPrefix(text, choice)
  const { shown, items, idOf, nameOf } = choice
  const kept = readPrivateJson<Shown>(pathOf(dataDirOf(cli, options), shown))
  if (kept === null) {
    const item = items[Number(row) - 1]
    if (item === undefined)
      throw noRow(text, { list: choice.list, of: 'the list', rows: items.map((_, index) => index + 1) })
    keepShownRows(cli, options, choice)
    cli.out.note(`${text} is ${nameOf(item)}, in the list as it is now`)
    return item
  }
  const found = kept.rows[Number(row)]
  const ageMs = Math.max(0, Date.now() - (found ?? kept).shownAt)
  const of = `the list of ${duration(Math.max(1_000, ageMs))} ago`
  if (ageMs > ROWS_COUNT_MS) throw refusal(`${text} is a row of ${of}`, ['a row counts for an hour'], choice.list)
  if (found === undefined) throw noRow(text, { list: choice.list, of, rows: Object.keys(kept.rows).map(Number) })
  const item = items.find((candidate) => idOf(candidate) === found.id)
  if (item === undefined) {
    throw refusal(`${text} of ${of} is gone`, [`${shortId(found.id)} is no longer listed`], choice.list)
  }
  cli.out.note(`${text} is ${nameOf(item)}, in ${of}`)
  return item
}

function noRow(text: string, { list, of, rows }: { list: string; of: string; rows: readonly number[] }): CliError {
  const why = rows.length === 0 ? 'it has no rows' : `its rows are @${Math.min(...rows)} to @${Math.max(...rows)}`
  return refusal(`${of} has no row ${text}`, [why], list)
}

const refusal = (message: string, why: readonly string[], list: string): CliError =>
  new CliError(message, { code: 'not_found', why, hint: list })
