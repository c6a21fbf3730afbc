import { describe, expect, it } from 'vitest'
import { type CommittedTrade, type Fill, RelayError, TransactionUnminedError } from '../../../src/client/index.ts'
import type { TradeSession } from '../../../src/web/trade/session.ts'
import { activeTrade } from '../../../src/web/trade/trade-view.ts'
import { settle } from '../../support/fake-clock.ts'
import { commitmentOf, quoteOf } from '../trade-samples.ts'
import { createFakeWorld, type FakeWorld, FILL, FILLED, PROOF, receipt } from './fake-world.ts'
import { countOf, createTradePages, inputOf, phaseOf } from './pages.ts'

const { page, racing, reload } = createTradePages()
const never = () => new Promise<never>(() => {})

describe('after a reload', () => {
  it('the wallet is the one that was used', async () => {
    const world = createFakeWorld()
    const again = await reload(world, await racing(world))
    expect(again.store.get().wallet.standing).toMatchObject({ kind: 'connected', offerId: 'io.example' })
    again.act.disconnect()
    expect((await reload(world, again)).store.get().wallet.standing.kind).toBe('none')
  })

  it('an open request is watched again, by its secret', async () => {
    const world = createFakeWorld()
    const again = await reload(world, await racing(world))
    expect(phaseOf(again)).toBe('racing')
    await world.quote('request-1', quoteOf(95_000n))
    expect(activeTrade(again.store.get())?.price).toBe(95_000n)
  })

  it('a request that the relay no longer knows is over', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    session.close()
    world.requests.clear()
    expect(phaseOf(await page(world))).toBe('gone')
  })

  it('a commit that was sent is joined by the same terms (decision C3), and not paid without being asked', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    world.when('commitToBestQuote', never)
    session.act.commit('request-1')
    await settle()
    const sent = inputOf(world, 'commitToBestQuote')
    world.when('commitToBestQuote', null)
    const again = await reload(world, session)
    const joined = inputOf(world, 'commitToBestQuote')
    const withoutSignal = (input: unknown) => ({ ...(input as object), signal: null })
    expect(withoutSignal(joined)).toEqual(withoutSignal(sent))
    expect(joined).toMatchObject({ proof: PROOF })
    expect(countOf(world, 'proveCommit')).toBe(1)
    expect(phaseOf(again)).toBe('committed')
    expect(countOf(world, 'fillOrder')).toBe(0)
  })

  it('a commit that the wallet was still asked to sign was not sent, and is not', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    world.when('proveCommit', never)
    session.act.commit('request-1')
    await settle()
    world.when('proveCommit', null)
    expect(phaseOf(await reload(world, session))).toBe('racing')
    expect([countOf(world, 'proveCommit'), countOf(world, 'commitToBestQuote')]).toEqual([1, 0])
  })

  it('a signed trade can be filled', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    world.when('fillOrder', async () => Promise.reject(new Error('no gas')))
    session.act.commit('request-1')
    await settle()
    world.when('fillOrder', null)
    const again = await reload(world, session)
    expect(phaseOf(again)).toBe('committed')
    again.act.fill('request-1')
    await settle()
    expect(phaseOf(again)).toBe('filled')
  })

  it('a fill that was on its way is found by its transaction', async () => {
    const world = createFakeWorld()
    const session = await leavePending(world)
    world.when('confirmRelayedFill', async ({ transactionHash }) => receipt(transactionHash))
    const again = await reload(world, session)
    expect(again.store.get().trades[0]?.stage).toMatchObject({ kind: 'filled', hash: FILL, blockNumber: 7 })
  })

  it('a fill whose transaction did not fill it leaves the signed trade', async () => {
    const world = createFakeWorld()
    const session = await leavePending(world)
    world.when('confirmRelayedFill', async () => Promise.reject(new TransactionUnminedError([FILL])))
    expect(phaseOf(await reload(world, session))).toBe('committed')
  })

  it('the relay reports an order that was filled elsewhere', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    world.when('fillOrder', async () => Promise.reject(new Error('no gas')))
    session.act.commit('request-1')
    await settle()
    const found = world.requests.get('request-1')
    if (found === undefined) throw new Error('no request')
    found.book = { ...found.book, orderStanding: { state: 'filled', transactionHash: FILL, blockNumber: 9 } }
    const again = await reload(world, session)
    expect(again.store.get().trades[0]?.stage).toMatchObject({ kind: 'filled', blockNumber: 9 })
  })

  it('texts that are no trades of ours are passed over', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    world.stored.set('rfqctl:trade:a', '{')
    world.stored.set('rfqctl:trade:b', '{"version":1,"record":{"stage":{"kind":"quoting"}}}')
    world.stored.set('rfqctl:trade:c', `"${'x'.repeat(70_000)}"`)
    world.stored.set('other', '1')
    expect((await reload(world, session)).store.get().trades).toHaveLength(1)
  })
})

/** A page that was left while its fill was on its way. */
async function leavePending(world: FakeWorld): Promise<TradeSession> {
  const session = await racing(world)
  const restore = fillBy(world, async (onSent) => {
    onSent()
    return never()
  })
  const again = await reload(world, session)
  again.act.commit('request-1')
  await settle()
  expect(phaseOf(again)).toBe('pending')
  restore()
  return again
}

/** Has traders that are opened from now on fill by `fill`, which tells when its transaction is sent. Returns how to end that. */
function fillBy(world: FakeWorld, fill: (onSent: () => void) => Promise<Fill>): () => void {
  const { openTrader } = world.ports
  world.ports.openTrader = (input) =>
    new Proxy(openTrader(input), {
      get: (target, name) =>
        name === 'fillOrder' ? () => fill(() => input.onSent?.(FILL)) : target[name as keyof typeof target],
    })
  return () => {
    world.ports.openTrader = openTrader
  }
}

/** Each commit waits for its answer, in their order. */
function answerCommits(world: FakeWorld) {
  const answers: { sign: () => void; refuse: () => void }[] = []
  world.when(
    'commitToBestQuote',
    ({ request }) =>
      new Promise<CommittedTrade>((resolve, reject) => {
        answers.push({
          sign: () => resolve(commitmentOf(request, quoteOf(99_600n))),
          refuse: () => reject(new RelayError({ code: 'too_many_requests', status: 429 })),
        })
      }),
  )
  return answers
}

describe('two pages of one browser', () => {
  it('show the same trades, and each acts only on what it was asked', async () => {
    const world = createFakeWorld()
    const one = await racing(world)
    const other = await page(world)
    expect(phaseOf(other)).toBe('racing')
    one.act.commit('request-1')
    await settle()
    expect(phaseOf(one)).toBe('filled')
    expect(phaseOf(other)).toBe('filled')
    expect(countOf(world, 'commitToBestQuote')).toBe(1)
    expect(countOf(world, 'fillOrder')).toBe(1)
  })

  it('do not take a trade back that the other one fills, whatever answer their own commit gets late (decision C3)', async () => {
    for (const late of ['refuse', 'sign'] as const) {
      const world = createFakeWorld()
      const answers = answerCommits(world)
      world.when('fillOrder', never)
      const one = await racing(world)
      one.act.commit('request-1')
      await settle()
      const other = await page(world)
      expect([phaseOf(one), phaseOf(other), answers.length]).toEqual(['signing', 'signing', 2])
      answers[0]?.sign()
      await settle()
      expect([phaseOf(one), phaseOf(other)]).toEqual(['paying', 'paying'])
      answers[1]?.[late]()
      await settle()
      expect([phaseOf(one), phaseOf(other)]).toEqual(['paying', 'paying'])
    }
  })

  it('keep a signature that comes after the other one was refused (decision C3)', async () => {
    const world = createFakeWorld()
    const answers = answerCommits(world)
    const one = await racing(world)
    one.act.commit('request-1')
    await settle()
    const other = await page(world)
    answers[1]?.refuse()
    await settle()
    answers[0]?.sign()
    await settle()
    expect([phaseOf(one), phaseOf(other)]).toEqual(['filled', 'filled'])
  })

  it('keep the transaction of a fill that the other one took for left', async () => {
    const world = createFakeWorld()
    let confirm = () => {}
    const owner = new Promise<void>((resolve) => (confirm = resolve))
    fillBy(world, async (onSent) => {
      await owner
      onSent()
      return FILLED
    })
    const one = await racing(world)
    one.act.commit('request-1')
    await settle()
    expect(phaseOf(one)).toBe('paying')
    const other = await page(world)
    expect([phaseOf(one), phaseOf(other)]).toEqual(['committed', 'committed'])
    confirm()
    await settle()
    expect([phaseOf(one), phaseOf(other)]).toEqual(['filled', 'filled'])
  })

  it('forget together', async () => {
    const world = createFakeWorld()
    const one = await racing(world)
    const other = await page(world)
    one.act.forget('request-1')
    expect(other.store.get().trades).toEqual([])
    expect([...world.stored.keys()].filter((key) => key.startsWith('rfqctl:trade'))).toEqual([])
  })

  it('the one that has seen more of a trade counts', async () => {
    const world = createFakeWorld()
    const one = await racing(world)
    const [old] = [...world.stored].filter(([key]) => key.startsWith('rfqctl:trade'))
    const other = await page(world)
    one.act.cancel('request-1')
    await settle()
    expect(phaseOf(other)).toBe('cancelled')
    // What an older page writes late.
    const late = await page(world)
    world.ports.storage.write(old?.[0] ?? '', old?.[1] ?? '')
    expect(phaseOf(other)).toBe('cancelled')
    late.close()
  })
})

it('a browser that keeps nothing is said to', async () => {
  const world = createFakeWorld()
  world.stored.set = () => {
    throw new Error('QuotaExceededError')
  }
  const session = await racing(world)
  expect(session.store.get().isForgetful).toBe(true)
  expect(phaseOf(session)).toBe('racing')
})

it.each([
  ['by no one', new Error('the network is gone'), 'fault'],
  ['by a gateway alone', new RelayError({ code: 'http_502', status: 502 }), 'http_502'],
])('a commit that was answered %s can be sent again', async (_, lost, code) => {
  const world = createFakeWorld()
  const session = await racing(world)
  world.when('commitToBestQuote', async () => Promise.reject(lost))
  session.act.commit('request-1')
  await settle()
  expect(activeTrade(session.store.get())).toMatchObject({ phase: 'signing', failure: { code } })
  const answers = answerCommits(world)
  session.act.commit('request-1')
  await settle()
  expect(activeTrade(session.store.get())).toMatchObject({ phase: 'signing', failure: null })
  answers[0]?.sign()
  await settle()
  expect(phaseOf(session)).toBe('committed')
})

it('a request that expired meanwhile is over by what the relay says of it', async () => {
  const world = createFakeWorld()
  const session = await racing(world)
  world.when('commitToBestQuote', async () => Promise.reject(new RelayError({ code: 'request_expired', status: 404 })))
  session.act.commit('request-1')
  await settle()
  expect(phaseOf(session)).toBe('expired')
})
