import { describe, expect, it } from 'vitest'
import { createKeyedQueue } from '../../../src/relay/core/keyed-queue.ts'
import { settle } from '../../support/fake-clock.ts'
import { refusal } from '../../support/test-relay.ts'

/** Work of keys that ends when the test says so. */
function createWork(run: ReturnType<typeof createKeyedQueue>) {
  const running: string[] = []
  const ends = new Map<string, (fails: boolean) => void>()
  const start = (key: string, name: string) =>
    run(key, () => {
      running.push(name)
      return new Promise<string>((resolve, reject) => {
        ends.set(name, (fails) => {
          running.splice(running.indexOf(name), 1)
          if (fails) reject(new Error(name))
          else resolve(name)
        })
      })
    })
  const end = async (name: string, fails = false) => {
    ends.get(name)?.(fails)
    await settle()
  }
  return { running, start, end }
}

describe('lines', () => {
  it('run so many of a key at a time, in the order in which they came', async () => {
    const { running, start, end } = createWork(createKeyedQueue({ atWork: 2, waiting: 9 }))
    const all = ['a', 'b', 'c', 'd'].map((name) => start('ada', name))
    expect(running).toEqual(['a', 'b'])
    await end('b')
    expect(running).toEqual(['a', 'c'])
    await end('a')
    expect(running).toEqual(['c', 'd'])
    await end('c')
    await end('d')
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('keep their bound when a turn was handed on', async () => {
    const { running, start, end } = createWork(createKeyedQueue({ atWork: 1, waiting: 9 }))
    for (const name of ['a', 'b']) void start('ada', name)
    await end('a')
    void start('ada', 'c')
    expect(running).toEqual(['b'])
    await end('b')
    expect(running).toEqual(['c'])
    await end('c')
    void start('ada', 'd')
    expect(running).toEqual(['d'])
  })

  it('go on after what fails, with its fault for whom it was', async () => {
    const { running, start, end } = createWork(createKeyedQueue({ atWork: 1, waiting: 9 }))
    const failed = expect(start('ada', 'a')).rejects.toThrow('a')
    void start('ada', 'b')
    await end('a', true)
    await failed
    expect(running).toEqual(['b'])
  })

  it('do not wait for those of another key', () => {
    const { running, start } = createWork(createKeyedQueue({ atWork: 1, waiting: 9 }))
    for (const key of ['ada', 'bob']) void start(key, key)
    expect(running).toEqual(['ada', 'bob'])
  })

  it('refuse what would wait behind too many, and take the next when there is room', async () => {
    const { start, end } = createWork(createKeyedQueue({ atWork: 1, waiting: 1 }))
    for (const name of ['a', 'b']) void start('ada', name)
    expect(await refusal(start('ada', 'c'))).toBe('too_many_requests')
    await end('a')
    const last = start('ada', 'd')
    await end('b')
    await end('d')
    expect(await last).toBe('d')
  })
})
