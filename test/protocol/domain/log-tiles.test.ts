import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  decodeEntries,
  EMPTY_TREE,
  encodeEntries,
  growTree,
  parseTilePath,
  readEdge,
  readRanges,
  rootOf,
  type Tile,
  type TreeEdge,
  tilePath,
  widthAt,
} from '../../../src/protocol/domain/log-tiles.ts'
import { consistencyRanges, hashLeaf, inclusionRanges } from '../../../src/protocol/domain/merkle-tree.ts'
import { naive, sha256 } from '../../support/oracles/merkle-tree.ts'

const leavesOf = (size: number) => Array.from({ length: size }, (_, i) => Buffer.from(`leaf ${i}`))

/** A log that grew by pieces of these sizes, with the tiles that it wrote. */
function grow(pieces: readonly number[]) {
  const leaves = leavesOf(pieces.reduce((sum, piece) => sum + piece, 0))
  const levels: Uint8Array[][] = []
  let edge: TreeEdge = EMPTY_TREE
  for (const piece of pieces) {
    const added = leaves.slice(edge.size, edge.size + piece).map((leaf) => hashLeaf(sha256, leaf))
    const grown = growTree(sha256, edge, added)
    for (const { level, start, hashes } of grown.growths) {
      levels[level] ??= []
      expect(levels[level]).toHaveLength(start)
      levels[level].push(...hashes)
    }
    edge = grown.edge
  }
  const readTile = async ({ level, index, width }: Tile & { level: number }) => {
    const hashes = levels[level]?.slice(index * 256, index * 256 + width) ?? []
    expect(hashes).toHaveLength(width)
    return Buffer.concat(hashes)
  }
  return { leaves, levels, edge, readTile }
}

test.each([
  [{ level: 0, index: 0, width: 256 }, 'tile/0/000'],
  [{ level: 0, index: 1_234_067, width: 256 }, 'tile/0/x001/x234/067'],
  [{ level: 63, index: 1_000, width: 7 }, 'tile/63/x001/000.p/7'],
  [{ level: 'entries', index: 999, width: 255 }, 'tile/entries/999.p/255'],
] as const)('has the path of C2SP for %j', (tile, path) => {
  expect(tilePath(tile)).toBe(path)
  expect(parseTilePath(path)).toEqual(tile)
})

test.each([
  'tile/00/000',
  'tile/64/000',
  'tile/0/00',
  'tile/0/x000/001',
  'tile/0/001/002',
  'tile/0/000.p/0',
  'tile/0/000.p/256',
  'tile/0/000.p/01',
  'tile/0/000.p/999',
  'tile/-1/000',
  'tile/0/../000',
])('knows no tile %s', (path) => expect(parseTilePath(path)).toBeNull())

test('has as many tiles as C2SP says for trees of 70,000 and of 256 leaves', () => {
  const widths = (level: number, from: number, size: number) =>
    [0, 1].map((more) => widthAt({ level, index: from + more }, size))
  expect(widths(0, 272, 70_000)).toEqual([256, 112])
  expect(widths(1, 0, 70_000)).toEqual([256, 17])
  expect(widths(2, 0, 70_000)).toEqual([1, 0])
  expect(widths(3, 0, 70_000)).toEqual([0, 0])
  expect(widths(0, 0, 256)).toEqual([256, 0])
  expect(widths(1, 0, 256)).toEqual([1, 0])
})

test('proves from its tiles what a tree without tiles proves, however it grew', async () => {
  const pieces = fc.array(fc.oneof(fc.nat(3), fc.nat(300), fc.constant(256), fc.constant(1_024)), {
    minLength: 1,
    maxLength: 6,
  })
  await fc.assert(
    fc.asyncProperty(pieces, fc.nat(), fc.nat(), async (sizes, a, b) => {
      const { leaves, edge, readTile } = grow(sizes)
      const { size } = edge
      expect(Buffer.from(rootOf(sha256, edge))).toEqual(naive.root(leaves))
      const read = await readEdge(readTile, size)
      expect(read.size).toBe(size)
      expect(read.levels.map((hashes) => hashes.map(buffer))).toEqual(edge.levels.map((hashes) => hashes.map(buffer)))
      if (size === 0) return
      const inclusion = { ranges: inclusionRanges(a % size, size), size }
      expect((await readRanges(sha256, readTile, inclusion)).map(buffer)).toEqual(naive.inclusion(a % size, leaves))
      const consistency = { ranges: consistencyRanges(1 + (b % size), size), size }
      expect((await readRanges(sha256, readTile, consistency)).map(buffer)).toEqual(
        naive.consistency(1 + (b % size), leaves),
      )
    }),
    { numRuns: 30 },
  )
})

test('has tiles above tiles in a tree of 66,000 leaves', () => {
  const { levels, edge, leaves } = grow([65_000, 1_000])
  expect(levels.map((hashes) => hashes.length)).toEqual([66_000, 257, 1])
  expect(Buffer.from(rootOf(sha256, edge))).toEqual(naive.root(leaves))
})

test.each([
  [0, 256],
  [1, 44],
  [2, 0],
])('bundle %i of entries has %i in a log of 300', (index, width) => {
  expect(widthAt({ level: 'entries', index }, 300)).toBe(width)
})

test('puts the length of each entry before it', () => {
  const leaves = [Buffer.from('ab'), Buffer.alloc(0), Buffer.alloc(300, 7)]
  const bundle = encodeEntries(leaves)
  expect([...bundle.slice(0, 6)]).toEqual([0, 2, 97, 98, 0, 0])
  expect(decodeEntries(bundle)?.map(buffer)).toEqual(leaves)
  expect(decodeEntries(bundle.slice(0, -1))).toBeNull()
  expect(decodeEntries(Uint8Array.of(0))).toBeNull()
})

const buffer = (bytes: Uint8Array) => Buffer.from(bytes)
