import { expect, test } from 'vitest'
import { createTtlMap } from '../../../src/relay/adapters/ttl-map.ts'

test('an entry is forgotten when its time has come, and of very many the oldest sooner', () => {
  const clock = { now: 0 }
  const map = createTtlMap<number>({ now: () => clock.now, keptMs: 100, limit: 3 })
  for (const value of [1, 2, 3, 4, 5]) map.put(`k${value}`, 0, value)
  expect(['k1', 'k2', 'k3', 'k4', 'k5'].map(map.get)).toEqual([null, null, 3, 4, 5])
  clock.now = 100
  expect(map.get('k5')).toBeNull()
})
