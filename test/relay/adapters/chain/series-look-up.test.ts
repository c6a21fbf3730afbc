import { beforeEach, describe, expect, it } from 'vitest'
import { type Series, seriesIdOf } from '../../../../src/protocol/domain/series.ts'
import { createLookUp } from '../../../../src/relay/adapters/chain/series-look-up.ts'
import { termsAt } from './terms.ts'

const NEW = seriesIdOf(termsAt(1))

describe('looking for a series that the index does not have', () => {
  let now: number
  let pauses: { endsAt: number; end: () => void }[]
  let index: Map<string, Series>
  let onChain: Map<string, Series>
  let refreshes: number
  let states: string[][]
  let recalled: string[]
  /** What a refresh finds. */
  let onRefresh: () => Promise<void>
  let lookUp: ReturnType<typeof createLookUp>

  const seriesOf = (seriesId: string): Series => ({ ...termsAt(1), seriesId, halted: false, resolutionBps: null })
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  async function pass(ms: number): Promise<void> {
    now += ms
    const due = pauses.filter(({ endsAt }) => endsAt <= now)
    pauses = pauses.filter(({ endsAt }) => endsAt > now)
    for (const { end } of due) end()
    await settle()
  }

  beforeEach(() => {
    now = 1_000_000
    pauses = []
    index = new Map()
    onChain = new Map()
    refreshes = 0
    states = []
    recalled = []
    onRefresh = async () => {}
    lookUp = createLookUp({
      find: (seriesId) => index.get(seriesId) ?? null,
      refresh: async () => {
        refreshes += 1
        await onRefresh()
      },
      readStates: async (ids) => {
        states.push([...ids])
        return ids.map((id) => onChain.get(id) ?? null)
      },
      recall: async (seriesId) => {
        recalled.push(seriesId)
        index.set(seriesId, seriesOf(seriesId))
      },
      now: () => now,
      sleep: (ms) => new Promise<void>((end) => pauses.push({ endsAt: now + ms, end })),
    })
  })

  it('asks no node for one that the index has', async () => {
    index.set(NEW, seriesOf(NEW))
    expect(await lookUp(NEW)).toMatchObject({ seriesId: NEW })
    expect(refreshes).toBe(0)
  })

  it('finds one that was registered a moment ago by a refresh', async () => {
    onRefresh = async () => void index.set(NEW, seriesOf(NEW))
    expect(await lookUp(NEW)).toMatchObject({ seriesId: NEW })
    expect([refreshes, states]).toEqual([1, []])
  })

  it('looks once a second for all who ask, and each time after they have asked', async () => {
    expect(await lookUp('1')).toBeNull()
    const asking = Array.from({ length: 200 }, (_, i) => lookUp(`${10 + i}`))
    await settle()
    expect(refreshes).toBe(1)
    onRefresh = async () => void index.set('17', seriesOf('17'))
    await pass(1_000)
    expect((await Promise.all(asking)).filter((found) => found !== null)).toEqual([seriesOf('17')])
    expect(refreshes).toBe(2)
    expect(states.map((ids) => ids.length)).toEqual([1, 199])
    const later = lookUp('5')
    await pass(999)
    expect(refreshes).toBe(2)
    await pass(1)
    expect(await later).toBeNull()
    expect(refreshes).toBe(3)
  })

  it('recalls one that the core knows and no refresh has found', async () => {
    onChain.set(NEW, seriesOf(NEW))
    expect(await lookUp(NEW)).toMatchObject({ seriesId: NEW })
    expect(recalled).toEqual([NEW])
  })

  it('refuses when more ids are asked for than a look takes, which costs the node nothing', async () => {
    await lookUp('1')
    const asking = Array.from({ length: 400 }, (_, i) => lookUp(`${10 + i}`).catch((fault: unknown) => fault))
    await pass(1_000)
    const refused = (await Promise.all(asking)).filter((answer) => answer instanceof Error)
    expect(refused).toHaveLength(144)
    expect(refused[0]).toMatchObject({ code: 'chain_unavailable', data: { retryAfterS: 1 } })
    expect(states.at(-1)).toHaveLength(256)
  })

  it('lets no caller wait for longer than five seconds for a slow node', async () => {
    onRefresh = () => new Promise(() => {})
    const answer = lookUp(NEW).catch((fault: unknown) => fault)
    await settle()
    await pass(5_000)
    expect(await answer).toMatchObject({ code: 'chain_unavailable' })
  })

  it('passes on that the chain cannot be read, and looks again for the next', async () => {
    onRefresh = () => Promise.reject(new Error('down'))
    await expect(lookUp(NEW)).rejects.toThrow('down')
    onRefresh = async () => void index.set(NEW, seriesOf(NEW))
    const next = lookUp(NEW)
    await pass(1_000)
    expect(await next).toMatchObject({ seriesId: NEW })
  })
})
