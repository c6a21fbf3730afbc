import { expect, test } from 'vitest'
import { createPause } from '../../../src/cli/terminal/reporter.ts'

const pausesAt = async (speed: number): Promise<number[]> => {
  const waited: number[] = []
  await createPause(speed, new AbortController().signal, async (ms) => void waited.push(ms))()
  return waited
}

test.each([
  [1, []],
  [0.5, [1_500]],
  [0.1, [13_500]],
])('a story at speed %d leaves %j ms for each step', async (speed, waits) => {
  expect(await pausesAt(speed)).toEqual(waits)
})

test('a story that is stopped does not wait', async () => {
  await expect(createPause(0.1, AbortSignal.abort())()).rejects.toMatchObject({ name: 'AbortError' })
})
