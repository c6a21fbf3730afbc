import { createHash } from 'node:crypto'

export const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest()

/** The definitions of RFC 6962, section 2.1, word for word. */
const MTH = (D: readonly Uint8Array[]): Buffer => {
  if (D.length === 0) return Buffer.from(sha256(new Uint8Array()))
  if (D.length === 1) return Buffer.from(sha256(Buffer.concat([Buffer.of(0), D[0] as Uint8Array])))
  const k = largestPowerBelow(D.length)
  return Buffer.from(sha256(Buffer.concat([Buffer.of(1), MTH(D.slice(0, k)), MTH(D.slice(k))])))
}

const PATH = (m: number, D: readonly Uint8Array[]): Buffer[] => {
  if (D.length === 1) return []
  const k = largestPowerBelow(D.length)
  return m < k ? [...PATH(m, D.slice(0, k)), MTH(D.slice(k))] : [...PATH(m - k, D.slice(k)), MTH(D.slice(0, k))]
}

const SUBPROOF = (m: number, D: readonly Uint8Array[], b: boolean): Buffer[] => {
  if (m === D.length) return b ? [] : [MTH(D)]
  const k = largestPowerBelow(D.length)
  return m <= k
    ? [...SUBPROOF(m, D.slice(0, k), b), MTH(D.slice(k))]
    : [...SUBPROOF(m - k, D.slice(k), false), MTH(D.slice(0, k))]
}

function largestPowerBelow(n: number): number {
  let k = 1
  while (k * 2 < n) k *= 2
  return k
}

export const naive = {
  root: MTH,
  inclusion: PATH,
  consistency: (m: number, D: readonly Uint8Array[]) => SUBPROOF(m, D, true),
}
