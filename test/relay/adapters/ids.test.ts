import { describe, expect, it } from 'vitest'
import { createIds } from '../../../src/relay/adapters/ids.ts'

const ids = createIds()
const many = (make: () => string) => Array.from({ length: 1_000 }, make)

describe('ids', () => {
  it('are UUIDs of version 4, never the same twice', () => {
    const uuids = many(ids.uuid)
    for (const uuid of uuids) expect(uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    expect(new Set(uuids).size).toBe(1_000)
  })

  it('and secrets have at least 128 bits that can stand in a URL', () => {
    const secrets = many(ids.secret)
    for (const secret of secrets) expect(secret).toMatch(/^[\w-]{32}$/)
    expect(new Set(secrets).size).toBe(1_000)
  })

  it('and random numbers have as many bits as asked for, each of them random', () => {
    for (const bits of [1, 7, 8, 160, 161]) {
      const numbers = Array.from({ length: 1_000 }, () => ids.random(bits))
      const union = numbers.reduce((all, number) => all | number, 0n)
      const common = numbers.reduce((all, number) => all & number, union)
      expect([union, common]).toEqual([2n ** BigInt(bits) - 1n, 0n])
    }
  })

  it('compare digests whole, also those of another length (fault B2)', () => {
    const [a, b] = [ids.digest('a'), ids.digest('b')]
    expect(ids.isSameDigest(a, ids.digest('a'))).toBe(true)
    expect([ids.isSameDigest(a, b), ids.isSameDigest(a, a.slice(1)), ids.isSameDigest(a, '')]).toEqual([
      false,
      false,
      false,
    ])
  })

  it('keep a secret under its SHA-256', () => {
    expect(ids.digest('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})
