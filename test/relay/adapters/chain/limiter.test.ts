import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLimiter } from '../../../../src/relay/adapters/chain/limiter.ts'

describe('a limiter', () => {
  let begun: number
  let ends: (() => void)[]
  const work = () => {
    begun += 1
    return new Promise<number>((resolve) => {
      const mine = begun
      ends.push(() => resolve(mine))
    })
  }

  beforeEach(() => {
    vi.useFakeTimers()
    begun = 0
    ends = []
  })
  afterEach(() => void vi.useRealTimers())

  it('begins at once what there is room for, and the rest in turn', async () => {
    const limited = createLimiter({ atWork: 2, waiting: 2, waitMs: 100 })
    const answers = [1, 2, 3, 4].map(() => limited(work))
    expect(begun).toBe(2)
    ends[1]?.()
    expect(await answers[1]).toBe(2)
    expect(begun).toBe(3)
    ends[0]?.()
    ends[2]?.()
    expect(await Promise.all([answers[0], answers[2]])).toEqual([1, 3])
    ends[3]?.()
    expect(await answers[3]).toBe(4)
  })

  it('refuses at once what finds the line full, and says when to come again', async () => {
    const limited = createLimiter({ atWork: 1, waiting: 1, waitMs: 100 })
    void limited(work)
    void limited(work).catch(() => {})
    await expect(limited(work)).rejects.toMatchObject({ code: 'chain_unavailable', data: { retryAfterS: 2 } })
    expect(begun).toBe(1)
  })

  it('refuses what has waited too long, and never begins it', async () => {
    const limited = createLimiter({ atWork: 1, waiting: 5, waitMs: 100 })
    void limited(work)
    const waited = limited(work)
    const refused = expect(waited).rejects.toMatchObject({ code: 'chain_unavailable' })
    await vi.advanceTimersByTimeAsync(100)
    await refused
    const later = limited(work)
    ends[0]?.()
    await vi.advanceTimersByTimeAsync(0)
    expect(begun).toBe(2)
    ends[1]?.()
    expect(await later).toBe(2)
  })

  it('hands the turn on when work fails, also when it throws at once', async () => {
    const limited = createLimiter({ atWork: 1, waiting: 5, waitMs: 100 })
    const failures = [
      limited(() => Promise.reject(new Error('one'))),
      limited(() => {
        throw new Error('two')
      }),
    ]
    expect(await Promise.allSettled(failures)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
    const next = limited(work)
    ends[0]?.()
    expect(await next).toBe(1)
  })
})
