import { expect, test } from 'vitest'
import { createCleanupStack } from '../../src/lib/cleanup-stack.ts'

test('what was opened last is closed first, each once', async () => {
  const closed: string[] = []
  const cleanup = createCleanupStack()
  cleanup.defer(() => void closed.push('first'))
  cleanup.defer(async () => void closed.push('second'))
  await Promise.all([cleanup.run(), cleanup.run()])
  expect(closed).toEqual(['second', 'first'])
})

test('one that cannot be closed does not keep the others open, and is told', async () => {
  const closed: string[] = []
  const cleanup = createCleanupStack()
  cleanup.defer(() => void closed.push('first'))
  cleanup.defer(() => {
    throw new Error('stuck')
  })
  await expect(cleanup.run()).rejects.toThrow('stuck')
  expect(closed).toEqual(['first'])
})
