import { beforeEach, describe, expect, it } from 'vitest'
import { coalesce } from '../../../../src/relay/adapters/chain/log-follower.ts'

describe('a shared run', () => {
  let ends: { succeed: () => void; fail: (fault: Error) => void }[]
  let run: () => Promise<void>
  const settle = () => new Promise((resolve) => setImmediate(resolve))

  beforeEach(() => {
    ends = []
    run = coalesce(() => new Promise<void>((resolve, reject) => ends.push({ succeed: () => resolve(), fail: reject })))
  })

  it('runs at once when nothing runs', async () => {
    const first = run()
    expect(ends).toHaveLength(1)
    ends[0]?.succeed()
    await first
    void run()
    expect(ends).toHaveLength(2)
  })

  it('gives all who call during a run the same next one', async () => {
    const first = run()
    const waiting = [run(), run(), run()]
    expect(ends).toHaveLength(1)
    ends[0]?.succeed()
    await first
    await settle()
    expect(ends).toHaveLength(2)
    ends[1]?.succeed()
    await Promise.all(waiting)
    expect(ends).toHaveLength(2)
  })

  it('does not let a failed run stop those who wait for the next', async () => {
    const first = run()
    const second = run()
    ends[0]?.fail(new Error('down'))
    await expect(first).rejects.toThrow('down')
    await settle()
    ends[1]?.succeed()
    await second
    void run()
    expect(ends).toHaveLength(3)
  })

  it('lets one who calls in the second run wait for a third', async () => {
    void run()
    void run()
    ends[0]?.succeed()
    await settle()
    void run()
    expect(ends).toHaveLength(2)
    ends[1]?.succeed()
    await settle()
    expect(ends).toHaveLength(3)
  })
})
