import { expect, test } from 'vitest'
import { createListeners } from '../../src/lib/listeners.ts'

test('a listener that is added twice is called twice, and removed once', () => {
  const listeners = createListeners<[text: string]>()
  const heard: string[] = []
  const listener = (text: string) => void heard.push(text)
  const remove = listeners.add(listener)
  listeners.add(listener)
  listeners.call('a')
  remove()
  listeners.call('b')
  expect(heard).toEqual(['a', 'a', 'b'])
  expect(listeners.size()).toBe(1)
})

test('a call reaches neither those that it adds nor those that it removes', () => {
  const listeners = createListeners()
  const heard: string[] = []
  listeners.add(() => {
    heard.push('first')
    removeSecond()
    listeners.add(() => void heard.push('third'))
  })
  const removeSecond = listeners.add(() => void heard.push('second'))
  listeners.call()
  expect(heard).toEqual(['first'])
})
