import { expect, test } from 'vitest'
import { createClosers } from '../../src/lib/closers.ts'

test('what was opened last is closed first, each once', async () => {
  const closed: string[] = []
  const closers = createClosers()
  closers.add(() => void closed.push('first'))
  closers.add(async () => void closed.push('second'))
  await Promise.all([closers.closeAll(), closers.closeAll()])
  expect(closed).toEqual(['second', 'first'])
})

test('one that cannot be closed does not keep the others open, and is told', async () => {
  const closed: string[] = []
  const closers = createClosers()
  closers.add(() => void closed.push('first'))
  closers.add(() => {
    throw new Error('stuck')
  })
  await expect(closers.closeAll()).rejects.toThrow('stuck')
  expect(closed).toEqual(['first'])
})
