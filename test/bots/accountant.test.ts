import { describe, expect, onTestFinished, test } from 'vitest'
import { createAccountant } from '../../src/bots/accountant.ts'
import type { Ledger, Statement } from '../../src/bots/ledger.ts'
import type { MakerBotEvent } from '../../src/bots/maker-events.ts'
import { usd6 } from '../../src/domain/units.ts'
import { createFakeClock, settle } from '../support/fake-clock.ts'

const statement = (total: bigint): Statement => ({
  trades: 1,
  premium: usd6(total),
  options: usd6(0n),
  hedge: usd6(0n),
  total: usd6(total),
})

/** An accountant of books that say what the test tells them to. */
function accountantOf() {
  const clock = createFakeClock()
  const abort = new AbortController()
  onTestFinished(() => abort.abort())
  const events: MakerBotEvent[] = []
  const books = { total: 1n, fails: false }
  const mark: Ledger['mark'] = async () => {
    if (books.fails) throw new Error('no feed')
    return { hedges: [], statement: statement(books.total) }
  }
  const accountant = createAccountant({
    ledger: { mark },
    clock,
    signal: abort.signal,
    onEvent: (event) => events.push(event),
  })
  return { accountant, clock, abort, events, books }
}

describe('an accountant', () => {
  test('says nothing before anything is traded', async () => {
    const { accountant, clock, events } = accountantOf()
    await clock.advance(60_000)
    await accountant.close()
    expect(events).toEqual([])
    expect(clock.pending()).toBe(0)
  })

  test('marks at once and then every five seconds, but tells only what changed', async () => {
    const { accountant, clock, events, books } = accountantOf()
    accountant.traded()
    await settle()
    expect(events).toEqual([{ kind: 'marked', statement: statement(1n) }])
    await clock.advance(5_000)
    expect(events).toHaveLength(1)
    books.total = 2n
    await clock.advance(5_000)
    expect(events).toHaveLength(2)
  })

  test('goes on when there is no price', async () => {
    const { accountant, clock, events, books } = accountantOf()
    books.fails = true
    accountant.traded()
    await settle()
    expect(events).toMatchObject([{ kind: 'failed', doing: 'spot' }])
    books.fails = false
    await clock.advance(5_000)
    expect(events.at(-1)).toMatchObject({ kind: 'marked' })
  })

  test('stops with its maker, and marks a last time', async () => {
    const { accountant, clock, abort, events, books } = accountantOf()
    accountant.traded()
    await settle()
    abort.abort()
    books.total = 3n
    await clock.advance(60_000)
    expect(events).toHaveLength(1)
    await accountant.close()
    expect(events.at(-1)).toEqual({ kind: 'marked', statement: statement(3n) })
  })
})
