import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  consistencyRanges,
  foldNodes,
  hashLeaf,
  inclusionRanges,
  type LeafRange,
  verifyConsistency,
  verifyInclusion,
} from '../../../src/protocol/domain/merkle-tree.ts'
import { naive, sha256 } from '../../support/oracles/merkle-tree.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const bytes = (text: string) => Buffer.from(text, 'hex')

/** The tree that implementations of RFC 6962 are tested with. */
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map(
  bytes,
)
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

const leavesOf = (size: number) => Array.from({ length: size }, (_, i) => Buffer.from(`leaf ${i}`))
const hashesOf = (leaves: readonly Uint8Array[], ranges: readonly LeafRange[]) =>
  ranges.map(({ start, end }) => naive.root(leaves.slice(start, end)))

test('has the roots of the known tree', () => {
  ROOTS.forEach((root, size) => {
    const leaves = LEAVES.slice(0, size)
    expect(hex(naive.root(leaves))).toBe(root)
    if (size === 0) expect(hex(foldNodes(sha256, []))).toBe(root)
    if (size === 1) expect(hex(hashLeaf(sha256, leaves[0] as Uint8Array))).toBe(root)
  })
})

test('proves inclusion as RFC 6962 does, and takes the proof for no other leaf, place, size or root', () => {
  for (let size = 1; size <= 40; size += 1) {
    const leaves = leavesOf(size)
    const root = naive.root(leaves)
    for (let index = 0; index < size; index += 1) {
      const path = hashesOf(leaves, inclusionRanges(index, size))
      expect(path).toEqual(naive.inclusion(index, leaves))
      const proof = { index, size, leafHash: hashLeaf(sha256, leaves[index] as Uint8Array), path, root }
      expect(verifyInclusion(sha256, proof)).toBe(true)
      const forged = [
        { ...proof, leafHash: hashLeaf(sha256, Buffer.from('another')) },
        { ...proof, root: sha256(root) },
        { ...proof, path: [...path, root] },
        ...path.map((_, i) => ({ ...proof, path: path.filter((__, j) => i !== j) })),
        ...path.map((hash, i) => ({ ...proof, path: path.with(i, Buffer.from(sha256(hash))) })),
        ...Array.from({ length: size + 2 }, (_, other) => ({ ...proof, index: other - 1 })).filter(
          (one) => one.index !== index,
        ),
      ]
      for (const one of forged) expect(verifyInclusion(sha256, one)).toBe(false)
    }
  }
})

test('proves that a tree extends another as RFC 6962 does, and nothing else', () => {
  for (let size = 1; size <= 40; size += 1) {
    const leaves = leavesOf(size)
    const second = { size, root: naive.root(leaves) }
    for (let former = 1; former <= size; former += 1) {
      const path = hashesOf(leaves, consistencyRanges(former, size))
      expect(path).toEqual(naive.consistency(former, leaves))
      const first = { size: former, root: naive.root(leaves.slice(0, former)) }
      expect(verifyConsistency(sha256, { first, second, path })).toBe(true)
      const other = { size: former, root: naive.root([...leaves.slice(0, former - 1), Buffer.from('another')]) }
      const forged = [
        { first: other, second, path },
        { first, second: { size, root: sha256(second.root) }, path },
        { first, second, path: [...path, second.root] },
        ...path.map((_, i) => ({ first, second, path: path.filter((__, j) => i !== j) })),
        ...path.map((hash, i) => ({ first, second, path: path.with(i, Buffer.from(sha256(hash))) })),
      ]
      for (const one of forged) expect(verifyConsistency(sha256, one)).toBe(false)
    }
    const empty = { size: 0, root: naive.root([]) }
    expect(verifyConsistency(sha256, { first: empty, second, path: [] })).toBe(true)
    expect(verifyConsistency(sha256, { first: second, second: empty, path: [] })).toBe(false)
  }
})

test('proves both in random trees of thousands of leaves', () => {
  const sizes = fc
    .integer({ min: 1, max: 3_000 })
    .chain((size) =>
      fc.record({ size: fc.constant(size), index: fc.nat(size - 1), former: fc.integer({ min: 1, max: size }) }),
    )
  fc.assert(
    fc.property(sizes, ({ size, index, former }) => {
      const leaves = leavesOf(size)
      expect(hashesOf(leaves, inclusionRanges(index, size))).toEqual(naive.inclusion(index, leaves))
      expect(hashesOf(leaves, consistencyRanges(former, size))).toEqual(naive.consistency(former, leaves))
    }),
    { numRuns: 20 },
  )
})

test.each([
  [5, 5],
  [0, 0],
  [-1, 5],
  [0.5, 5],
  [0, 2 ** 53],
])('has no proof of leaf %s of %s', (index, size) => {
  expect(() => inclusionRanges(index, size)).toThrow(RangeError)
  const proof = { index, size, leafHash: sha256(new Uint8Array()), path: [], root: sha256(new Uint8Array()) }
  expect(verifyInclusion(sha256, proof)).toBe(false)
})
