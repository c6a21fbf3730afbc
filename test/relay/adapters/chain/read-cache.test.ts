import { beforeEach, describe, expect, it } from 'vitest'
import { createReadCache } from '../../../../src/relay/adapters/chain/read-cache.ts'

describe('the read cache', () => {
  let now: number
  let loads: number
  let cache: ReturnType<typeof createReadCache>
  const load = async () => {
    loads += 1
    return loads
  }

  beforeEach(() => {
    now = 1_000_000
    loads = 0
    cache = createReadCache({ lifetimeMs: 3_000, now: () => now })
  })

  it('answers from a read of less than its lifetime ago', async () => {
    expect(await cache.read('a', 'cached', load)).toBe(1)
    now += 2_999
    expect(await cache.read('a', 'cached', load)).toBe(1)
    now += 1
    expect(await cache.read('a', 'cached', load)).toBe(2)
  })

  it('lets concurrent reads of one key be one, and keeps keys apart', async () => {
    const answers = await Promise.all(['a', 'a', 'b', 'a'].map((key) => cache.read(key, 'cached', load)))
    expect(answers).toEqual([1, 1, 2, 1])
  })

  it('always reads what must be the latest, and answers the next cached read with it', async () => {
    await cache.read('a', 'cached', load)
    expect(await cache.read('a', 'latest', load)).toBe(2)
    expect(await cache.read('a', 'latest', load)).toBe(3)
    expect(await cache.read('a', 'cached', load)).toBe(3)
  })

  it('never joins a latest read to one that is already under way', async () => {
    const first = cache.read('a', 'cached', load)
    await Promise.resolve()
    expect(await Promise.all([first, cache.read('a', 'latest', load)])).toEqual([1, 2])
  })

  it('lets reads that begin at one moment be one, the latest too: none is older than the other', async () => {
    const freshness = ['cached', 'latest', 'latest'] as const
    expect(await Promise.all(freshness.map((each) => cache.read('a', each, load)))).toEqual([1, 1, 1])
    now += 1
    expect(await Promise.all(freshness.map((each) => cache.read('a', each, load)))).toEqual([1, 2, 2])
  })

  it('gives the age of an answer from the start of its read, not from its end', async () => {
    let finish = (_: string) => {}
    const slow = cache.read(
      'a',
      'cached',
      () =>
        new Promise<string>((resolve) => {
          finish = resolve
        }),
    )
    now += 3_000
    finish('old')
    expect(await slow).toBe('old')
    expect(await cache.read('a', 'cached', load)).toBe(1)
  })

  it('does not keep a failure, and gives it to all who waited for it', async () => {
    const fail = () => Promise.reject(new Error('down'))
    const waiting = [cache.read('a', 'cached', fail), cache.read('a', 'cached', fail)]
    expect(await Promise.allSettled(waiting)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
    expect(await cache.read('a', 'cached', load)).toBe(1)
  })

  it('keeps a newer answer when an older read fails late', async () => {
    let fail = (_: Error) => {}
    const old = cache.read(
      'a',
      'cached',
      () =>
        new Promise((_, reject) => {
          fail = reject
        }),
    )
    await Promise.resolve()
    await cache.read('a', 'latest', load)
    fail(new Error('down'))
    await expect(old).rejects.toThrow('down')
    expect(await cache.read('a', 'cached', load)).toBe(1)
  })

  it('forgets stale keys, so that strangers cannot fill it for good', async () => {
    for (let key = 0; key < 1_000; key += 1) await cache.read(`${key}`, 'cached', load)
    now += 3_000
    await cache.read('last', 'cached', load)
    now -= 1
    expect(await cache.read('0', 'cached', load)).toBe(1_002)
  })
})
