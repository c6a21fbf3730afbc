import { concat, foldNodes, HASH_BYTES, type LeafRange, nodesOf, type Sha256, type TreeNode } from './merkle-tree.ts'

/** Hashes in a full tile, and levels of the tree from its hashes to its root. */
export const TILE_WIDTH = 256
const TILE_HEIGHT = 8

/** The leaves of a log are commitments: SHA-256 hashes, which a bundle prefixes with their length. */
export const ENTRY_BYTES = 2 + HASH_BYTES

/** A tile of hashes, or a bundle of entries, as C2SP's tlog-tiles has them. A full one is 256 wide. */
export type Tile = { level: number | 'entries'; index: number; width: number }

/** Reads the bytes of a tile of hashes. */
export type ReadTile = (tile: Tile & { level: number }) => Promise<Uint8Array>

/** The path of a tile below the prefix of its log, such as `tile/0/x001/234.p/7`. */
export function tilePath({ level, index, width }: Tile): string {
  const groups = [String(index % 1_000).padStart(3, '0')]
  for (let rest = Math.floor(index / 1_000); rest > 0; rest = Math.floor(rest / 1_000))
    groups.unshift(`x${String(rest % 1_000).padStart(3, '0')}`)
  return `tile/${level}/${groups.join('/')}${width === TILE_WIDTH ? '' : `.p/${width}`}`
}

const PATH = /^tile\/(entries|[1-5]?\d|6[0-3])\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/

/** Null unless the text is the path of a tile, in its one form. */
export function parseTilePath(path: string): Tile | null {
  const [, level, groups, width] = PATH.exec(path) ?? []
  if (level === undefined || groups === undefined) return null
  const tile: Tile = {
    level: level === 'entries' ? level : Number(level),
    index: Number(groups.replaceAll(/[x/]/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  }
  return tilePath(tile) === path && tile.width <= TILE_WIDTH ? tile : null
}

/** Hashes that all tiles of a level have together, in a tree of `size` leaves. */
const hashesAt = (level: number | 'entries', size: number): number =>
  Math.floor(size / TILE_WIDTH ** (level === 'entries' ? 0 : level))

/** The width of a tile in a tree of `size` leaves; 0: the tree has no such tile. */
export const widthAt = ({ level, index }: Omit<Tile, 'width'>, size: number): number =>
  Math.max(0, Math.min(TILE_WIDTH, hashesAt(level, size) - index * TILE_WIDTH))

/** The right edge of a tree, from which it grows: the hashes of the last tile of each level, where that is not full. */
export type TreeEdge = { size: number; levels: readonly (readonly Uint8Array[])[] }

export const EMPTY_TREE: TreeEdge = { size: 0, levels: [] }

/** Hashes that come to a level; `start` counts those that the level had. */
export type Growth = { level: number; start: number; hashes: readonly Uint8Array[] }

/** The tree with leaves of these hashes at its end, and what comes to its tiles. */
export function growTree(
  sha256: Sha256,
  { size, levels }: TreeEdge,
  leafHashes: readonly Uint8Array[],
): { edge: TreeEdge; growths: readonly Growth[] } {
  const growths: Growth[] = []
  const edges: (readonly Uint8Array[])[] = []
  let added = leafHashes
  for (let level = 0; added.length > 0 || level < levels.length; level += 1) {
    if (added.length > 0) growths.push({ level, start: hashesAt(level, size), hashes: added })
    const hashes = [...(levels[level] ?? []), ...added]
    const full: Uint8Array[] = []
    let from = 0
    for (; from + TILE_WIDTH <= hashes.length; from += TILE_WIDTH)
      full.push(rootOfFull(sha256, hashes.slice(from, from + TILE_WIDTH)))
    edges.push(hashes.slice(from))
    added = full
  }
  return { edge: { size: size + leafHashes.length, levels: edges }, growths }
}

/** The root of a tree from its edge. */
export function rootOf(sha256: Sha256, { levels }: TreeEdge): Uint8Array {
  const hashes = [...levels].reverse().flatMap((edge) =>
    nodesOf({ start: 0, end: edge.length }).map(({ level, index }) => {
      const start = index * 2 ** level
      return rootOfFull(sha256, edge.slice(start, start + 2 ** level))
    }),
  )
  return foldNodes(sha256, hashes)
}

/** The edge of a tree of `size` leaves, read from its tiles. */
export async function readEdge(readTile: ReadTile, size: number): Promise<TreeEdge> {
  const levels: Uint8Array[][] = []
  for (let level = 0; hashesAt(level, size) > 0; level += 1) {
    const index = Math.floor(hashesAt(level, size) / TILE_WIDTH)
    const width = widthAt({ level, index }, size)
    levels.push(width === 0 ? [] : hashesIn(await readTile({ level, index, width })))
  }
  return { size, levels }
}

/** The hash of each range of a tree of `size` leaves, read from its tiles; each tile is read, and each subtree hashed, once. */
export async function readRanges(
  sha256: Sha256,
  readTile: ReadTile,
  { ranges, size }: { ranges: readonly LeafRange[]; size: number },
): Promise<Uint8Array[]> {
  const read = once(tilePath, async (tile: Tile & { level: number }) => hashesIn(await readTile(tile)))

  const hashOf = once(
    ({ level, index }: TreeNode) => `${level} ${index}`,
    async ({ level, index }): Promise<Uint8Array> => {
      if (level % TILE_HEIGHT !== 0) {
        const halves = [2 * index, 2 * index + 1].map((half) => hashOf({ level: level - 1, index: half }))
        return foldNodes(sha256, await Promise.all(halves))
      }
      const tile = { level: level / TILE_HEIGHT, index: Math.floor(index / TILE_WIDTH) }
      const hashes = await read({ ...tile, width: widthAt(tile, size) })
      return hashes[index % TILE_WIDTH] as Uint8Array
    },
  )

  const hashOfRange = once(
    ({ start, end }: LeafRange) => `${start} ${end}`,
    async (range) => foldNodes(sha256, await Promise.all(nodesOf(range).map(hashOf))),
  )

  return Promise.all(ranges.map(hashOfRange))
}

function once<Input, Result>(nameOf: (input: Input) => string, work: (input: Input) => Promise<Result>) {
  const results = new Map<string, Promise<Result>>()
  return (input: Input): Promise<Result> => {
    const name = nameOf(input)
    const result = results.get(name) ?? work(input)
    results.set(name, result)
    return result
  }
}

/** The root over hashes whose number is a power of two. */
function rootOfFull(sha256: Sha256, hashes: readonly Uint8Array[]): Uint8Array {
  let level = hashes
  while (level.length > 1) {
    const above: Uint8Array[] = []
    for (let i = 0; i < level.length; i += 2) above.push(foldNodes(sha256, level.slice(i, i + 2)))
    level = above
  }
  return level[0] as Uint8Array
}

const hashesIn = (bytes: Uint8Array): Uint8Array[] =>
  Array.from({ length: bytes.length / HASH_BYTES }, (_, i) => bytes.slice(i * HASH_BYTES, (i + 1) * HASH_BYTES))

/** A bundle of entries, each with its length before it. */
export const encodeEntries = (leaves: readonly Uint8Array[]): Uint8Array =>
  concat(leaves.flatMap((leaf) => [Uint8Array.of(leaf.length >> 8, leaf.length & 0xff), leaf]))

/** The entries of a bundle; null unless it has whole ones only. */
export function decodeEntries(bytes: Uint8Array): Uint8Array[] | null {
  const leaves: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 2 + (((bytes[at] as number) << 8) | (bytes[at + 1] ?? 0))
    if (end > bytes.length) return null
    leaves.push(bytes.slice(at + 2, end))
    at = end
  }
  return leaves
}
