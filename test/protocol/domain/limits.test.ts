import { expect, test } from 'vitest'
import { EPOCH_SIZE, FEED_LENGTH } from '../../../src/protocol/domain/limits.ts'

test('ids of millions of epochs are numbers that JSON holds, and a feed is a small part of an epoch', () => {
  expect(Number.isSafeInteger(9_000_000 * EPOCH_SIZE + EPOCH_SIZE - 1)).toBe(true)
  expect(FEED_LENGTH * 1_000).toBeLessThan(EPOCH_SIZE)
})
