import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import type { Adapter } from 'lowdb'
import { corrupt } from '../open-error.ts'
import type { SavedTables } from '../tables.ts'
import type { Disk } from './disk.ts'
import type { Extent } from './extents.ts'

/**
 * The content of the document. Its `segments` say how far each file of the journal counts; `saves` is the number of
 * successful saves, which the journal repeats; `moved` is present once the store continues elsewhere.
 */
export type Contents = { tables: SavedTables; segments: readonly Extent[]; saves: number; moved?: Move }

/** The new place of a store, without secrets; `at` is ISO 8601. The database has recorded the same `moveId`. */
export type Move = { moveId: string; to: string; at: string }

/** Each converts the contents of a version into those of the next, by the older version. */
export type Migrations = Readonly<Record<number, (contents: unknown) => unknown>>

const FORMAT = 'rfqctl-store'

/**
 * The version of `Contents` that this program reads and writes: 2 keeps open requests in the journal, 3 makers'
 * protections, the ends of orders, and makers' outcomes; 4 keeps in the journal whatever strangers can make more of; 5
 * counts saves, and has a checksum of each file of the journal.
 */
export const VERSION = 5

/**
 * The first save moves rows of a former version from the document to the journal. Version 2 lacks the table of
 * protections, and version 3 the rows of tables in the journal: a program that did not know them would drop them, and
 * ask makers that are protected.
 */
export const MIGRATIONS: Migrations = {
  1: (contents) => contents,
  2: (contents) => contents,
  3: (contents) => contents,
  4: (contents) => {
    const former = contents as Omit<Contents, 'saves'>
    return { ...former, saves: 0, segments: former.segments.map((extent) => ({ ...extent, crc: null })) }
  },
}

/**
 * Keeps a lowdb database in one file that is whole at every moment: written beside, flushed, renamed over, and the
 * folder flushed, before `write` resolves. `read` refuses with a `StoreOpenError` whatever it did not write itself; it
 * migrates an older version after saving a copy beside it.
 */
export function createDocument(parts: {
  disk: Disk
  path: string
  /** Called when a write reaches the point beyond which it may hold although it fails. A rejection prevents it. */
  onSwitch: () => void | Promise<void>
  /** Called with the size of each written file. */
  onWritten: (bytes: number) => void
  version?: number
  migrations?: Migrations
}): Adapter<Contents> {
  const { disk, path, onSwitch, onWritten, version = VERSION, migrations = MIGRATIONS } = parts
  const dir = dirname(path)
  const temporary = `${path}.tmp`

  return {
    read: async () => {
      const bytes = await disk.read(path)
      if (bytes === null) return null
      const document = parseDocument(path, bytes, version)
      if (document.version < version) {
        await disk.write(`${path}.v${document.version}.bak`, bytes)
        await disk.flushDir(dir)
      }
      return migrate(path, document, version, migrations)
    },
    write: async (contents) => {
      const bytes = encodeDocument(contents, version)
      await disk.write(temporary, bytes)
      await onSwitch()
      await disk.rename(temporary, path)
      await disk.flushDir(dir)
      onWritten(bytes.length)
    },
  }
}

/** Refuses like `read` does, and writes nothing. */
export const decodeDocument = (path: string, bytes: Buffer): Contents =>
  migrate(path, parseDocument(path, bytes, VERSION), VERSION, MIGRATIONS)

/** The version of a document's bytes. Refuses like `read` does. */
export const documentVersion = (path: string, bytes: Buffer, version: number = VERSION): number =>
  parseDocument(path, bytes, version).version

function encodeDocument(contents: Contents, version: number): Buffer {
  const body = Buffer.from(JSON.stringify(contents))
  const head = `{"format":"${FORMAT}","version":${version},"sha256":"${sha256(body)}","contents":`
  return Buffer.concat([Buffer.from(head), body, Buffer.from('}\n')])
}

function parseDocument(path: string, bytes: Buffer, version: number): { version: number; contents: unknown } {
  if (bytes.length === 0) throw corrupt(path, 'is empty')
  const document = parseJson(path, bytes)
  if (typeof document !== 'object' || document === null || !('format' in document) || document.format !== FORMAT) {
    throw corrupt(path, 'is not an rfqctl store')
  }
  const found = document as { version?: unknown; sha256?: unknown; contents?: unknown }
  if (!Number.isSafeInteger(found.version) || Number(found.version) < 1) throw corrupt(path, 'has no format version')
  if (Number(found.version) > version) {
    throw corrupt(path, `has format ${found.version}, written by a newer rfqctl; this one reads up to ${version}`, {
      hint: 'start the newer rfqctl again, or restore a backup of this version with rfqctl db restore FOLDER',
    })
  }
  if (found.contents === undefined || sha256(JSON.stringify(found.contents)) !== found.sha256) {
    throw corrupt(path, 'does not match its checksum')
  }
  return { version: Number(found.version), contents: found.contents }
}

function parseJson(path: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch (cause) {
    throw corrupt(path, 'is damaged: it does not parse', { cause })
  }
}

function migrate(
  path: string,
  document: { version: number; contents: unknown },
  version: number,
  migrations: Migrations,
): Contents {
  let { contents } = document
  for (let from = document.version; from < version; from += 1) {
    const step = migrations[from]
    if (step === undefined) throw corrupt(path, `has format ${from}, which this rfqctl cannot migrate`)
    contents = step(contents)
  }
  return contents as Contents
}

const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex')
