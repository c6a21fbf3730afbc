import { expect, test } from 'vitest'
import { createCleanupStack } from '../../src/lib/cleanup-stack.ts'

test('the last opened is closed first, each once', async () => {
  const closed: string[] = []
  const cleanup = createCleanupStack()
  cleanup.defer(() => void closed.push('first'))
  cleanup.defer(async () => void closed.push('second'))
  await Promise.all([cleanup.run(), cleanup.run()])
  expect(closed).toEqual(['second', 'first'])
})

test('a failing close does not keep the others open, and is reported', async () => {
  const closed: string[] = []
  const cleanup = createCleanupStack()
  cleanup.defer(() => void closed.push('first'))
  cleanup.defer(() => {
    throw new Error('stuck')
  })
  await expect(cleanup.run()).rejects.toThrow('stuck')
  expect(closed).toEqual(['first'])
})
