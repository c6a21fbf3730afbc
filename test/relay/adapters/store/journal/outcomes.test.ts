import { expect, test } from 'vitest'
import { createOutcomes, type OutcomeRow } from '../../../../../src/relay/adapters/store/journal/outcomes.ts'

const DAY_MS = 86_400_000

/** An index whose rows are in memory, with a clock that stands. */
function createIndex(maxRejected?: number) {
  const clock = { now: 1_000 }
  const rows: (OutcomeRow | null)[] = []
  const loads = { count: 0 }
  const outcomes = createOutcomes<number>({
    now: () => clock.now,
    keptMs: DAY_MS,
    load: async (location) => {
      loads.count += 1
      return rows[location] ?? null
    },
    ...(maxRejected === undefined ? {} : { maxRejected }),
  })
  return {
    clock,
    loads,
    forget: (location: number) => {
      rows[location] = null
    },
    reject: (makerId: string, quoteId: string, at = clock.now) => {
      const rejection = { makerId, quoteId, requestId: `of ${quoteId}`, reason: 'another_quote_won' } as const
      const location = rows.push({ kind: 'rejected', rejection, at }) - 1
      outcomes.add(makerId, { status: 'rejected', at, quoteId, location })
    },
    confirm: (makerId: string, quoteId: string, at = clock.now) => {
      const row = { kind: 'executed', execution: { executedAt: at, acceptance: { quoteId } } } as unknown as OutcomeRow
      outcomes.add(makerId, { status: 'confirmed', at, quoteId, location: rows.push(row) - 1 })
    },
    countWins: outcomes.countWins,
    list: async (
      makerId: string,
      after: string | null = null,
      status: 'confirmed' | 'rejected' | null = null,
      limit = 1_000,
    ) => {
      const found = await outcomes.list({ makerId, after, since: null, status, limit })
      return (
        found?.map((row) => (row.kind === 'executed' ? row.execution.acceptance.quoteId : row.rejection.quoteId)) ??
        null
      )
    },
  }
}

test('outcomes of both kinds are listed by their time, and those of one kind alone', async () => {
  const { reject, confirm, list } = createIndex()
  reject('ada', 'a', 10)
  confirm('ada', 'b', 20)
  reject('ada', 'c', 30)
  reject('bob', 'd', 15)
  expect(await list('ada')).toEqual(['a', 'b', 'c'])
  expect(await list('ada', 'a')).toEqual(['b', 'c'])
  expect(await list('ada', null, 'confirmed')).toEqual(['b'])
  expect(await list('ada', 'a', 'rejected')).toEqual(['c'])
})

test('outcomes of one moment, and of a clock that went back, come once each whatever the pages', async () => {
  const { reject, confirm, list } = createIndex()
  const told = (at: number, name: string) => (name.startsWith('c') ? confirm : reject)('ada', name, at)
  const names = ['r1', 'c1', 'r2', 'c2', 'c3', 'r3', 'r4', 'c4']
  for (const [i, name] of names.entries()) told([10, 10, 10, 20, 15, 20, 5, 20][i] as number, name)
  for (const limit of [1, 2, 3, 8]) {
    const seen: string[] = []
    for (let after: string | null = null; ; ) {
      const page: string[] = (await list('ada', after, null, limit)) ?? []
      seen.push(...page)
      if (page.length < limit) break
      after = page.at(-1) ?? null
    }
    expect([...seen].sort()).toEqual([...names].sort())
  }
})

test('a page of a long history looks at its own rows only, and is full although rows were let go', async () => {
  const { reject, confirm, list, loads, forget } = createIndex()
  for (let at = 0; at < 100_000; at += 1) (at % 10 === 0 ? confirm : reject)('ada', `q${at}`, at)
  for (let location = 50_011; location < 50_016; location += 1) forget(location)
  loads.count = 0
  const page = await list('ada', 'q50010', null, 100)
  expect([page?.length, page?.[0], page?.at(-1)]).toEqual([100, 'q50016', 'q50115'])
  // Its own, five that were let go, and those with the hash of the cursor.
  expect(loads.count).toBeLessThan(115)
})

test('two quotes of one hash are distinct', async () => {
  const { reject, list } = createIndex()
  // The hashes of these two are the same: 31 more in one position is one less in the position before it.
  reject('ada', 'b@', 10)
  reject('ada', 'a_', 20)
  reject('ada', 'x', 30)
  expect(await list('ada', 'b@')).toEqual(['a_', 'x'])
  expect(await list('ada', 'a_')).toEqual(['x'])
})

test('a cursor of another maker, or whose row was let go, is refused', async () => {
  const { reject, list } = createIndex()
  reject('ada', 'a')
  expect(await list('ada', 'b')).toBeNull()
  expect(await list('bob', 'a')).toBeNull()
})

test('a rejection is forgotten after its time, a trade never', async () => {
  const { clock, reject, confirm, list } = createIndex()
  reject('ada', 'a')
  confirm('ada', 'b')
  clock.now += DAY_MS - 1
  expect(await list('ada')).toEqual(['b', 'a'])
  clock.now += 1
  expect(await list('ada')).toEqual(['b'])
})

test('among very many rejections the newest are kept, of any maker, and every trade', async () => {
  const { reject, confirm, list } = createIndex(100)
  confirm('ada', 'first', 0)
  for (let at = 1; at <= 1_000; at += 1) reject(at % 2 === 0 ? 'ada' : 'bob', `q${at}`, at)
  const [ada, bob] = [await list('ada'), await list('bob')]
  expect(ada?.[0]).toBe('first')
  const kept = [...(ada ?? []).slice(1), ...(bob ?? [])].map((quoteId) => Number(quoteId.slice(1)))
  expect(kept.length).toBeGreaterThanOrEqual(100)
  expect(kept.length).toBeLessThan(105)
  expect(Math.min(...kept)).toBe(1_000 - kept.length + 1)
})

test('outcomes are counted from a moment on, those of that moment included', () => {
  const { reject, confirm, countWins } = createIndex()
  reject('ada', 'a', 10)
  confirm('ada', 'b', 20)
  reject('ada', 'c', 30)
  reject('bob', 'd', 30)
  expect(countWins('ada', 0)).toEqual({ requests: 3, won: 1 })
  expect(countWins('ada', 20)).toEqual({ requests: 2, won: 1 })
  expect(countWins('ada', 21)).toEqual({ requests: 1, won: 0 })
  expect(countWins('cyd', 0)).toEqual({ requests: 0, won: 0 })
})
