import { CLOSED_MEMORY_MS } from '@rfqctl/protocol/domain/limits'
import { AUDIT_MEMORY_MS, ENDED_MEMORY_MS } from '../journal/journal.ts'
import type { JournalRow } from '../journal/rows.ts'

/** Rows that are kept equally long share their files. */
export const FAMILIES = [
  'requests',
  'tables',
  'executions',
  'ended',
  'rejections',
  'prices',
  'audit',
  'closed',
  'trades',
] as const

/** The files of one kind of rows. */
export type Family = (typeof FAMILIES)[number]

/** A file of the journal. */
export type SegmentFile = { family: Family; number: number }

/**
 * A file of the journal and how many of its bytes count. `newestAt`: when it was last written, Unix milliseconds. `crc`: the CRC-32 of
 * those bytes together, since each line may be good where one is missing, doubled or another's; null of a file that a former version
 * wrote, until it is read.
 */
export type Extent = SegmentFile & { bytes: number; newestAt: number; crc: number | null }

/** Where each kind of row goes. In `trades` is what of `audit` tells of trades, once its file there had to make room. */
const FAMILY_OF = {
  changed: 'requests',
  quoted: 'requests',
  told: 'requests',
  stored: 'tables',
  executed: 'executions',
  order_ended: 'executions',
  order_defunded: 'executions',
  closed: 'closed',
  ended: 'ended',
  rejected: 'rejections',
  priced: 'prices',
  audited: 'audit',
  noted: 'ended',
} as const satisfies Record<JournalRow['kind'], Family>

/** How long the rows of a family are of use, in milliseconds; the others are kept forever. */
const KEPT_MS: { readonly [Name in Family]?: number } = {
  ended: ENDED_MEMORY_MS,
  rejections: ENDED_MEMORY_MS,
  audit: AUDIT_MEMORY_MS,
  trades: AUDIT_MEMORY_MS,
  closed: CLOSED_MEMORY_MS,
}

/** The size at which a file is full: small enough to be read whole at the start. */
const FULL_BYTES = 8 * 1024 * 1024

/** Families whose oldest file is written again, as far as it is still needed, before it goes. */
export const REWRITTEN: readonly Family[] = ['requests', 'tables']

/** The size of their files: so much is written again at a time. */
const FULL_REWRITTEN_BYTES = 1024 * 1024

/** How many files a family may have before the oldest goes: quotes come by the thousand, so their record has a bound. */
const MAX_FILES: { readonly [Name in Family]?: number } = {
  rejections: 16,
  audit: 16,
  closed: 16,
  trades: 32,
}

const FILE_NAME = /^(requests|tables|executions|ended|rejections|prices|audit|closed|trades)-(\d{6,})\.ndjson$/

/** The size at which a file of a family is full; `limit`, for tests, is a lower one. */
export const fullBytesOf = (family: Family, limit = Infinity): number =>
  Math.min(limit, REWRITTEN.includes(family) ? FULL_REWRITTEN_BYTES : FULL_BYTES)

/** The family of a row. A nonce is written with its acceptance: in one file, so that no commit waits for another one. */
export const familyOf = (row: JournalRow): Family =>
  row.kind === 'stored' && row.change.table === 'nonces' ? 'requests' : FAMILY_OF[row.kind]

/** Whether two names are of one file. */
export const isSameFile = (a: SegmentFile, b: SegmentFile): boolean => a.family === b.family && a.number === b.number

/** Whether no one may ask for the rows of a file any more; `now` in Unix milliseconds. */
export const isOutdated = ({ family, newestAt }: Extent, now: number): boolean =>
  newestAt + (KEPT_MS[family] ?? Infinity) <= now

/** The extents with a grown or new one last, and without the oldest of its family when they are too many. */
export function withExtent(extents: readonly Extent[], grown: Extent): Extent[] {
  const all = [...extents.filter((extent) => !isSameFile(extent, grown)), grown]
  const ofFamily = all.filter(({ family }) => family === grown.family)
  const surplus = ofFamily.slice(0, Math.max(0, ofFamily.length - (MAX_FILES[grown.family] ?? Infinity)))
  return all.filter((extent) => !surplus.includes(extent))
}

/** The name of a file. */
export const fileName = ({ family, number }: SegmentFile): string =>
  `${family}-${String(number).padStart(6, '0')}.ndjson`

/** The file of a name; null when it is not one of the journal. */
export function parseFileName(name: string): SegmentFile | null {
  const [, family, number] = FILE_NAME.exec(name) ?? []
  return family === undefined ? null : { family: family as Family, number: Number(number) }
}
