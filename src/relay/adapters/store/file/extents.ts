import { CLOSED_MEMORY_MS } from '@rfqctl/protocol/domain/limits'
import { AUDIT_MEMORY_MS, ENDED_MEMORY_MS } from '../journal/journal.ts'
import type { JournalRow } from '../journal/rows.ts'

/** Rows with the same lifetime share their files. */
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

export type Family = (typeof FAMILIES)[number]

export type SegmentFile = { family: Family; number: number }

/**
 * A file of the journal and how many of its bytes count. `newestAt`: when it was last written, Unix milliseconds.
 * `crc`: the CRC-32 of those bytes together, since each line may be valid where one is missing, doubled or from
 * elsewhere; null for a file that a former version wrote, until it is read.
 */
export type Extent = SegmentFile & { bytes: number; newestAt: number; crc: number | null }

/** `trades` receives the rows of `audit` about trades once their file there had to make room. */
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

export const ROW_KINDS = Object.keys(FAMILY_OF) as readonly JournalRow['kind'][]

/** Lifetime of the rows of a family, in milliseconds; rows of other families are kept forever. */
const KEPT_MS: { readonly [Name in Family]?: number } = {
  ended: ENDED_MEMORY_MS,
  rejections: ENDED_MEMORY_MS,
  audit: AUDIT_MEMORY_MS,
  trades: AUDIT_MEMORY_MS,
  closed: CLOSED_MEMORY_MS,
}

/** A full file: small enough to be read whole at the start. */
const FULL_BYTES = 8 * 1024 * 1024

/** Families whose oldest file is dropped after its needed rows were written again. */
export const REWRITTEN: readonly Family[] = ['requests', 'tables']

/** The size of their files: so much is rewritten at a time. */
const FULL_REWRITTEN_BYTES = 1024 * 1024

/** Beyond this many files the oldest of a family is dropped: quotes come by the thousand. */
const MAX_FILES: { readonly [Name in Family]?: number } = { rejections: 16, audit: 16, closed: 16, trades: 32 }

const FILE_NAME = /^(requests|tables|executions|ended|rejections|prices|audit|closed|trades)-(\d{6,})\.ndjson$/

/** `limit`, for tests, is a lower bound than the usual one, in bytes. */
export const fullBytesOf = (family: Family, limit = Infinity): number =>
  Math.min(limit, REWRITTEN.includes(family) ? FULL_REWRITTEN_BYTES : FULL_BYTES)

/** A nonce is written with its acceptance: in one file, so that no commit waits for a second one. */
export const familyOf = (row: JournalRow): Family =>
  row.kind === 'stored' && row.change.table === 'nonces' ? 'requests' : FAMILY_OF[row.kind]

export const isSameFile = (a: SegmentFile, b: SegmentFile): boolean => a.family === b.family && a.number === b.number

/** The rows of the file are past their use; `now` in Unix milliseconds. */
export const isOutdated = ({ family, newestAt }: Extent, now: number): boolean =>
  newestAt + (KEPT_MS[family] ?? Infinity) <= now

/** Puts the grown or new extent last, and drops the oldest of its family when they are too many. */
export function withExtent(extents: readonly Extent[], grown: Extent): Extent[] {
  const all = [...extents.filter((extent) => !isSameFile(extent, grown)), grown]
  const ofFamily = all.filter(({ family }) => family === grown.family)
  const surplus = ofFamily.slice(0, Math.max(0, ofFamily.length - (MAX_FILES[grown.family] ?? Infinity)))
  return all.filter((extent) => !surplus.includes(extent))
}

export const fileName = ({ family, number }: SegmentFile): string =>
  `${family}-${String(number).padStart(6, '0')}.ndjson`

/** Null when the file is not one of the journal. */
export function parseFileName(name: string): SegmentFile | null {
  const [, family, number] = FILE_NAME.exec(name) ?? []
  return family === undefined ? null : { family: family as Family, number: Number(number) }
}
