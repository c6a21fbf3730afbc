import { join } from 'node:path'
import { CliError } from '@rfqctl/lib/cli-error'
import { EXIT } from '@rfqctl/lib/exit'
import { duration, shortId } from '@rfqctl/lib/format'
import { readPrivateJson, writePrivateJson } from '@rfqctl/lib/private-file'
import type { Cli } from '../cli.ts'
import { type Choice, findByPrefix } from './find-by-prefix.ts'
import { dataDirOf } from './targets.ts'

/** A list whose rows have numbers. */
export type ListName = 'series' | 'markets' | 'keys' | 'requests'

/** How long a row means what was shown: a person who looks at an older list than that no longer sees the market. */
const ROWS_COUNT_MS = 3_600_000

/** A row that was shown: its id, what people call it, and when it was shown, Unix milliseconds. */
type ShownRow = { id: string; name: string; shownAt: number }

/** What was shown: when at last, Unix milliseconds, and the rows by their numbers. */
type Shown = { shownAt: number; rows: Readonly<Record<string, ShownRow>> }

/** What can be chosen by the number of its row, too; `nameOf` is how people are told which one it is. */
export type RowChoice<Item> = Choice<Item> & { shown: ListName; nameOf: (item: Item) => string }

const pathOf = (dataDir: string, list: ListName): string => join(dataDir, 'shown', `${list}.json`)

/**
 * Keeps which id and name each row of a list has that is being shown, so that `@N` goes on meaning it when the list has changed.
 * `items` are the whole list, of which `rows` are shown (default: all); rows that were shown before stay while they have not
 * moved. Where that cannot be kept, the list is shown all the same, and that its rows name nothing.
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

/** A list of which some rows are shown. */
type ShownList<Item> = Pick<RowChoice<Item>, 'shown' | 'items' | 'idOf' | 'nameOf'> & { rows?: number[] }

/** The rows of the list last shown that `@N` can name now, with their names; none where that cannot be told. */
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
 * The item that a person means: `@3` is row 3 of the list last shown in this folder, by whichever terminal, anything else
 * the start of an id. What a row is gets said. Where no list was shown here, the current one counts as shown from then on.
 * Refuses a row that the list did not have, that is gone, or of a list older than an hour, with `not_found`.
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
  new CliError(message, { code: 'not_found', exitCode: EXIT.notFound, why, hint: list })
