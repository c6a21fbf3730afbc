import Fastify, { type FastifyInstance } from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readJsonBodies } from '../../src/server/plugins/body.ts'
import { createTurnBudget, spreadRequests, type TurnBudget } from '../../src/server/plugins/turn-budget.ts'
import { rawSocket, startServer } from './support.ts'

/** An event loop whose turns the test ends, and whose time is what the work in it took. */
function createTurns() {
  let at = 0
  let coming: (() => void)[] = []
  return {
    turns: { now: () => at, afterThisTurn: (work: () => void) => void coming.push(work) },
    take: (ms: number) => {
      at += ms
    },
    /** How much is to begin when this turn is over. */
    coming: () => coming.length,
    endTurn: () => {
      const due = coming
      coming = []
      for (const work of due) work()
    },
  }
}

describe('the budget of a turn', () => {
  test('lets work begin until it is spent, and again in the next turn', () => {
    const { turns, take, endTurn } = createTurns()
    const { isSpent } = createTurnBudget(turns)
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
    const { isSpent, later } = createTurnBudget(turns)
    const begun: number[] = []
    isSpent()
    take(2)
    for (const n of [1, 2, 3, 4, 5])
      later(() => {
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
    const { isSpent, later } = createTurnBudget(turns)
    const begun: number[] = []
    isSpent()
    for (const n of [1, 2])
      later(() => {
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
    const { isSpent, later } = createTurnBudget(turns)
    isSpent()
    take(2)
    for (let n = 0; n < 3; n += 1) later(() => take(1))
    endTurn()
    take(-2)
    expect(isSpent()).toBe(true)
    endTurn()
    expect(isSpent()).toBe(false)
  })

  test('keeps no more than ten thousand waiting', () => {
    const { turns, take } = createTurns()
    const { isSpent, later } = createTurnBudget(turns)
    isSpent()
    take(2)
    for (let n = 0; n < 10_000; n += 1) {
      expect(isSpent()).toBe(true)
      later(() => {})
    }
    expect(isSpent()).toBe(false)
  })
})

test('a server whose turn is spent answers commits, and all else in the next turns', async () => {
  const { turns, take, coming, endTurn } = createTurns()
  const { call } = await startServer({ turns })
  expect((await call('GET', '/healthz')).status).toBe(200)
  take(2)
  const before = coming()
  const commit = (wallet: string) => call('POST', '/quote-requests/unknown/commit', { body: { wallet } })
  const late = [call('GET', '/healthz'), commit('x'.repeat(2_000))]
  await expect.poll(coming).toBe(before + 2)
  expect((await commit('x')).status).toBe(400)
  expect(coming()).toBe(before + 2)
  endTurn()
  expect((await Promise.all(late)).map(({ status }) => status)).toEqual([200, 400])
})

describe('in a turn that is spent', () => {
  test('a request begins later, and one that a running commit waits for at once', async () => {
    const { app, endTurn, begun, waiting } = createApp()
    const polled = app.inject({ url: '/quote-requests/1/quotes' })
    await waiting(1)
    const made = ['/quote-requests/1/commit', '/v1/mm/quotes/1/confirm', '/v1/mm/quotes/1/decline']
    for (const url of made) expect((await app.inject({ url, method: 'POST' })).statusCode).toBe(200)
    expect(begun).toEqual(made)
    endTurn()
    expect((await polled).statusCode).toBe(200)
    expect(begun).toEqual([...made, '/quote-requests/1/quotes'])
  })

  test('a long body is read later, and a short one at once', async () => {
    const { app, endTurn, begun, waiting } = createApp()
    const ask = (id: number, length: number) =>
      app.inject({ method: 'POST', url: `/quote-requests/${id}/commit`, payload: { text: 'x'.repeat(length) } })
    const long = ask(1, 1_024)
    await waiting(1)
    await ask(2, 1_000)
    expect(begun).toEqual(['/quote-requests/2/commit'])
    endTurn()
    expect((await long).statusCode).toBe(200)
  })

  test('a long body that is broken is refused all the same', async () => {
    const { app, endTurn, waiting } = createApp()
    const asked = app.inject({
      method: 'POST',
      url: '/quote-requests/1/commit',
      headers: { 'content-type': 'application/json' },
      payload: '['.repeat(5_000),
    })
    await waiting(1)
    endTurn()
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
    later: (work) => {
      late.push(work)
      noticed()
    },
  }
  app.server.on('connection', (socket) => socket.once('close', () => app.server.emit('gone')))
  spreadRequests(app, budget)
  readJsonBodies(app, budget)
  const note = async ({ url }: { url: string }) => {
    begun.push(url)
    return {}
  }
  app.get('/quote-requests/:id/quotes', note)
  app.post('/quote-requests/:id/commit', note)
  app.post('/v1/mm/quotes/:quoteId/confirm', note)
  app.post('/v1/mm/quotes/:quoteId/decline', note)
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
