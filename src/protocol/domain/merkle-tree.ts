/** SHA-256, as the caller's platform has it. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array

/** Bytes of a hash. */
export const HASH_BYTES = 32

/** A complete subtree of 2^`level` leaves; `index` counts those of its level from the left. */
export type TreeNode = { level: number; index: number }

/** Leaves from `start` on and before `end`. */
export type LeafRange = { start: number; end: number }

const LEAF_PREFIX = Uint8Array.of(0)
const NODE_PREFIX = Uint8Array.of(1)

/** The hash of a leaf (RFC 6962, section 2.1). */
export const hashLeaf = (sha256: Sha256, data: Uint8Array): Uint8Array => sha256(concat([LEAF_PREFIX, data]))

/** The hash of two subtrees beside each other (RFC 6962, section 2.1). */
export const hashNode = (sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array =>
  sha256(concat([NODE_PREFIX, left, right]))

/** The root of a tree, from the hashes of its complete subtrees as `nodesOf` lists them. */
export function foldNodes(sha256: Sha256, hashes: readonly Uint8Array[]): Uint8Array {
  return hashes.length === 0
    ? sha256(new Uint8Array())
    : hashes.reduceRight((right, left) => hashNode(sha256, left, right))
}

/** The complete subtrees that make a range, the largest first. The range is one that a proof or a whole tree has. */
export function nodesOf({ start, end }: LeafRange): TreeNode[] {
  const nodes: TreeNode[] = []
  for (let from = start; from < end; ) {
    const level = Math.floor(Math.log2(end - from))
    nodes.push({ level, index: from / 2 ** level })
    from += 2 ** level
  }
  return nodes
}

/** The ranges whose hashes prove that leaf `index` is in the tree of `size` leaves (RFC 6962, section 2.1.1). */
export function inclusionRanges(index: number, size: number): LeafRange[] {
  assertSizes(index + 1, size)
  const ranges: LeafRange[] = []
  for (let start = 0, end = size; end - start > 1; ) {
    const middle = start + splitOf(end - start)
    const isLeft = index < middle
    ranges.push(isLeft ? { start: middle, end } : { start, end: middle })
    if (isLeft) end = middle
    else start = middle
  }
  return ranges.reverse()
}

/** The ranges whose hashes prove that the tree of `second` leaves extends that of `first` (RFC 6962, section 2.1.2). */
export function consistencyRanges(first: number, second: number): LeafRange[] {
  assertSizes(first, second)
  const ranges: LeafRange[] = []
  let start = 0
  let end = second
  while (first < end) {
    const middle = start + splitOf(end - start)
    const isLeft = first <= middle
    ranges.push(isLeft ? { start: middle, end } : { start, end: middle })
    if (isLeft) end = middle
    else start = middle
  }
  // The hash of the whole first tree is known to who asks.
  if (start > 0) ranges.push({ start, end })
  return ranges.reverse()
}

/** Whether `path` proves that the leaf of this hash is in the tree (RFC 9162, section 2.1.3.2). */
export function verifyInclusion(
  sha256: Sha256,
  proof: { index: number; size: number; leafHash: Uint8Array; path: readonly Uint8Array[]; root: Uint8Array },
): boolean {
  const { index, size, leafHash, path, root } = proof
  if (!isSize(index) || !isSize(size) || index >= size) return false
  let fn = index
  let sn = size - 1
  let hash = leafHash
  for (const sibling of path) {
    if (sn === 0) return false
    if (isOdd(fn) || fn === sn) {
      hash = hashNode(sha256, sibling, hash)
      while (!isOdd(fn) && fn !== 0) [fn, sn] = [half(fn), half(sn)]
    } else hash = hashNode(sha256, hash, sibling)
    ;[fn, sn] = [half(fn), half(sn)]
  }
  return sn === 0 && isEqual(hash, root)
}

/** Whether `path` proves that the second tree extends the first (RFC 9162, section 2.1.4.2). Every tree extends the empty one. */
export function verifyConsistency(
  sha256: Sha256,
  proof: {
    first: { size: number; root: Uint8Array }
    second: { size: number; root: Uint8Array }
    path: readonly Uint8Array[]
  },
): boolean {
  const { first, second, path } = proof
  if (!isSize(first.size) || !isSize(second.size) || first.size > second.size) return false
  if (first.size === 0) return path.length === 0 && isEqual(first.root, foldNodes(sha256, []))
  if (first.size === second.size) return path.length === 0 && isEqual(first.root, second.root)
  const [start, ...rest] = Number.isInteger(Math.log2(first.size)) ? [first.root, ...path] : path
  if (start === undefined || path.length === 0) return false
  let fn = first.size - 1
  let sn = second.size - 1
  while (isOdd(fn)) [fn, sn] = [half(fn), half(sn)]
  let [former, latter] = [start, start]
  for (const sibling of rest) {
    if (sn === 0) return false
    if (isOdd(fn) || fn === sn) {
      former = hashNode(sha256, sibling, former)
      latter = hashNode(sha256, sibling, latter)
      while (!isOdd(fn) && fn !== 0) [fn, sn] = [half(fn), half(sn)]
    } else latter = hashNode(sha256, latter, sibling)
    ;[fn, sn] = [half(fn), half(sn)]
  }
  return sn === 0 && isEqual(former, first.root) && isEqual(latter, second.root)
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

export const isEqual = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i])

/** The largest power of two below `count`, which is at least 2. */
const splitOf = (count: number): number => 2 ** (Math.ceil(Math.log2(count)) - 1)

// Sizes pass 2^32, where the operators on bits end.
const isOdd = (n: number): boolean => n % 2 === 1
const half = (n: number): number => Math.floor(n / 2)

/** Leaves that a tree may have; logarithms of larger numbers are not exact. */
const MAX_SIZE = 2 ** 40

const isSize = (n: number): boolean => Number.isInteger(n) && n >= 0 && n <= MAX_SIZE

function assertSizes(first: number, second: number): void {
  if (!isSize(first) || !isSize(second) || first < 1 || first > second)
    throw new RangeError(`No tree of ${second} leaves has one of ${first} in it.`)
}
