import Fastify, { type FastifyInstance } from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readJsonBodies } from '../../../src/relay/server/plugins/body.ts'
import { createTurnBudgets, spreadRequests, type TurnBudget } from '../../../src/relay/server/plugins/turn-budget.ts'
import { createTurns } from './fake-turns.ts'
import { ADA, rawSocket, startServer } from './support.ts'

describe('the budget of a turn', () => {
  test('lets work begin until it is spent, and again in the next turn', () => {
    const { turns, take, endTurn } = createTurns()
    const { isSpent } = createTurnBudgets(turns).strangers
    expect(isSpent()).toBe(false)
    take(1)
    expect(isSpent()).toBe(false)
    take(1)
    expect(isSpent()).toBe(true)
    endTurn()
    expect(isSpent()).toBe(false)
  })

  test('lets what waits begin in its order, as much in each turn as the budget holds', () => {
    const { turns, take, endTurn } = createTurns()
    const { isSpent, later } = createTurnBudgets(turns).strangers
    const begun: number[] = []
    isSpent()
    take(2)
    for (const n of [1, 2, 3, 4, 5])
      later('one', () => {
        begun.push(n)
        take(1)
      })
    expect(begun).toEqual([])
    endTurn()
    expect(begun).toEqual([1, 2])
    endTurn()
    expect(begun).toEqual([1, 2, 3, 4])
    endTurn()
    expect(begun).toEqual([1, 2, 3, 4, 5])
  })

  test('lets one piece of work begin in each turn, however long it takes', () => {
    const { turns, take, endTurn } = createTurns()
    const { isSpent, later } = createTurnBudgets(turns).strangers
    const begun: number[] = []
    isSpent()
    for (const n of [1, 2])
      later('one', () => {
        begun.push(n)
        take(50)
      })
    endTurn()
    expect(begun).toEqual([1])
    endTurn()
    expect(begun).toEqual([1, 2])
  })

  test('puts what comes behind what waits', () => {
    const { turns, take, endTurn } = createTurns()
    const { isSpent, later } = createTurnBudgets(turns).strangers
    isSpent()
    take(2)
    for (let n = 0; n < 3; n += 1) later('one', () => take(1))
    endTurn()
    take(-2)
    expect(isSpent()).toBe(true)
    endTurn()
    expect(isSpent()).toBe(false)
  })

  test('lets clients begin in rotation, each in the order in which it asked', () => {
    const { turns, take, endTurn } = createTurns()
    const { isSpent, later } = createTurnBudgets(turns).strangers
    const begun: string[] = []
    const ask = (client: string, work: string) =>
      later(client, () => {
        begun.push(work)
        take(1)
      })
    isSpent()
    take(2)
    for (const work of ['a1', 'a2', 'a3', 'a4']) ask('a', work)
    for (const work of ['b1', 'b2']) ask('b', work)
    for (let turn = 0; turn < 3; turn += 1) endTurn()
    expect(begun).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4'])
  })

  test('lets those that it knows begin something in a turn that strangers have spent, and the other way around', () => {
    const { turns, take, endTurn } = createTurns()
    const { known, strangers } = createTurnBudgets(turns)
    const begun: string[] = []
    const ask = (name: string) => () => {
      begun.push(name)
      take(5)
    }
    for (const [former, latter] of [
      [strangers, known],
      [known, strangers],
    ] as const) {
      expect(former.isSpent()).toBe(false)
      take(2)
      expect([former.isSpent(), latter.isSpent(), latter.isSpent()]).toEqual([true, false, true])
      endTurn()
    }
    for (const n of [1, 2, 3]) strangers.later('stranger', ask(`stranger ${n}`))
    for (const n of [1, 2, 3]) known.later('maker', ask(`maker ${n}`))
    for (let turn = 0; turn < 2; turn += 1) endTurn()
    expect(begun.toSorted()).toEqual(['maker 1', 'maker 2', 'stranger 1', 'stranger 2'])
  })

  test('looks at no more of what waits in a turn than may begin in it', () => {
    const { turns, take, coming, endTurn } = createTurns()
    const { isSpent, later } = createTurnBudgets(turns).strangers
    isSpent()
    take(2)
    let begun = 0
    for (let n = 0; n < 20_000; n += 1)
      later(`client ${n % 100}`, () => {
        begun += 1
      })
    expect(isSpent()).toBe(true)
    expect(coming()).toBeLessThan(600)
    while (coming() > 0) endTurn()
    expect(begun).toBe(20_000)
  })
})

describe('a server whose turn is spent', () => {
  /** A server in whose turn strangers have begun as much as they may. */
  async function startSpent() {
    const { turns, take, coming, endTurn } = createTurns()
    const fixture = await startServer({ turns })
    const { requestId } = await fixture.open()
    const commitTo = (id: string) =>
      fixture.call('POST', `/quote-requests/${id}/commit`, { body: { wallet: 'x' } }).then(({ status }) => status)
    expect((await fixture.call('GET', '/healthz')).status).toBe(200)
    take(2)
    return { ...fixture, requestId, commitTo, coming, endTurn }
  }

  test('lets a commit to an open request begin, and one to any other id wait as all strangers do', async () => {
    const { call, requestId, commitTo, coming, endTurn } = await startSpent()
    const before = coming()
    const late = [
      call('GET', '/healthz').then(({ status }) => status),
      commitTo('00000000-0000-4000-8000-000000000000'),
    ]
    await expect.poll(coming).toBe(before + 2)
    expect(await commitTo(requestId)).toBe(400)
    expect(coming()).toBe(before + 2)
    endTurn()
    expect(await Promise.all(late)).toEqual([200, 400])
  })

  test.each(['confirm', 'decline'])(
    'lets a %s with a key begin, and one with a wrong key or none wait',
    async (answer) => {
      const { call, coming, endTurn } = await startSpent()
      const ask = (headers: Record<string, string>) =>
        call('POST', `/v1/mm/quotes/q/${answer}`, { headers }).then(({ status }) => status)
      const before = coming()
      const late = [ask({ 'x-api-key': 'wrong' }), ask({})]
      await expect.poll(coming).toBe(before + 2)
      expect(await ask(ADA)).not.toBe(401)
      expect(coming()).toBe(before + 2)
      endTurn()
      expect(await Promise.all(late)).toEqual([401, 401])
    },
  )
})

describe('in a turn that is spent', () => {
  test('a long body is read later, and a short one at once', async () => {
    const { app, endTurn, begun, waiting } = createApp()
    const ask = (id: number, length: number) =>
      app.inject({ method: 'POST', url: `/quote-requests/${id}/commit`, payload: { text: 'x'.repeat(length) } })
    const asked = [ask(1, 1_024), ask(2, 1_000)]
    await waiting(2)
    endTurn()
    await asked[1]
    expect(begun).toEqual(['/quote-requests/2/commit'])
    endTurn()
    expect((await asked[0])?.statusCode).toBe(200)
  })

  test('a long body that is broken is refused all the same', async () => {
    const { app, endTurn, waiting } = createApp()
    const asked = app.inject({
      method: 'POST',
      url: '/quote-requests/1/commit',
      headers: { 'content-type': 'application/json' },
      payload: '['.repeat(5_000),
    })
    for (let wait = 0; wait < 2; wait += 1) {
      await waiting(1)
      endTurn()
    }
    expect((await asked).json().code).toBe('invalid_json')
  })

  test('a request whose client has left begins nothing', async () => {
    const { app, endTurn, begun, waiting } = createApp()
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as { port: number }
    const [left, stays] = [rawSocket(port), rawSocket(port)]
    for (const [socket, id] of [
      [left, 1],
      [stays, 2],
    ] as const)
      socket.write(`GET /quote-requests/${id}/quotes HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    await waiting(2)
    const closed = new Promise((resolve) => app.server.once('gone', resolve))
    left.destroy()
    await closed
    endTurn()
    await new Promise((resolve) => stays.resume().once('close', resolve))
    expect(begun).toEqual(['/quote-requests/2/quotes'])
  })
})

/** An app in whose turns nothing more may begin, and what has begun in it nevertheless. */
function createApp() {
  const app: FastifyInstance = Fastify()
  const late: (() => void)[] = []
  const begun: string[] = []
  let noticed = () => {}
  const budget: TurnBudget = {
    isSpent: () => true,
    later: (_, work) => {
      late.push(work)
      noticed()
    },
  }
  app.server.on('connection', (socket) => socket.once('close', () => app.server.emit('gone')))
  spreadRequests(app, () => ({ turns: budget, client: () => 'somebody' }))
  readJsonBodies(app, budget)
  const note = async ({ url }: { url: string }) => {
    begun.push(url)
    return {}
  }
  app.get('/quote-requests/:id/quotes', note)
  app.post('/quote-requests/:id/commit', note)
  onTestFinished(() => app.close())
  return {
    app,
    begun,
    /** Resolves when so many pieces of work wait. */
    waiting: (count: number) =>
      new Promise<void>((resolve) => {
        noticed = () => void (late.length === count && resolve())
        noticed()
      }),
    endTurn: () => {
      for (const work of late.splice(0)) work()
    },
  }
}
