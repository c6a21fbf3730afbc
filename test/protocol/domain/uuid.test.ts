import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { requestIdOf, uuidOf } from '../../../src/protocol/domain/uuid.ts'

it('shapes the first bits of hex as a random UUID: version 4, one of four variants, all other bits as they are', () => {
  expect(uuidOf('0123456789abcdef0123456789abcdef')).toBe('01234567-89ab-4def-8123-456789abcdef')
  expect(uuidOf('f'.repeat(64))).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff')
  const variants = [...'0123456789abcdef'].map((digit) => uuidOf(`0000000000000000${digit}000000000000000`)[19])
  expect(variants.join('')).toBe('89ab89ab89ab89ab')
})

it('derives the id of a request from the name that its client gave it, in either case', () => {
  const name = '1f0e8d6c-5b4a-4c3d-9e2f-7a6b5c4d3e2f'
  const derived = uuidOf(createHash('sha256').update(`request ${name}`).digest('hex'))
  expect([requestIdOf(name), requestIdOf(name.toUpperCase())]).toEqual([derived, derived])
})
