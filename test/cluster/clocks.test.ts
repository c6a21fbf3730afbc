import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import { keep } from '../kit/keep.ts'
import { type Accepted, askedToSign } from '../kit/maker.ts'
import { createFakeTime, type FakeTime, LIBFAKETIME } from '../support/fake-time.ts'
import { CLUSTER_HINT, HAS_CLUSTER } from './cluster.ts'
import type { Node } from './node.ts'
import { useCluster } from './use-cluster.ts'

const SIGN_WITHIN_MS = 4_000
const TTL_MS = 6_000

/** How far what a node says of the time may be from the machine's, on a busy machine, in milliseconds. */
const CLOSE_MS = 1_500

const isThere = HAS_CLUSTER && LIBFAKETIME !== null
const hint = HAS_CLUSTER && LIBFAKETIME === null ? ' (skipped: needs the package libfaketime)' : CLUSTER_HINT

describe.skipIf(!isThere)(`a node whose clock is wrong${hint}`, () => {
  const inUse = useCluster(1, { confirmationMs: SIGN_WITHIN_MS })
  let right: Node
  let wrong: Node
  let time: FakeTime

  beforeAll(async () => {
    time = createFakeTime()
    keep(time.remove)
    right = inUse.nodes[0] as Node
    wrong = await inUse.cluster.start({ env: { ...time.env, QUOTE_REQUEST_TTL_MS: String(TTL_MS) } })
  })

  /** Moves the clock of the node, and waits until its HTTP server shows it. */
  async function shift(seconds: number): Promise<void> {
    time.shift(seconds)
    await eventually(
      () => wrong.service.call('GET', '/healthz'),
      ({ headers }) => Math.abs(Date.parse(String(headers.get('date'))) - Date.now() - seconds * 1_000) < 2_500,
    )
  }

  const expectNow = (time: unknown, offsetMs = 0) =>
    expect(Math.abs(Date.parse(String(time)) - offsetMs - Date.now())).toBeLessThan(CLOSE_MS)

  /** All that the node measures, and all that it writes down, took time and not less than none. */
  async function expectNothingNegative(): Promise<void> {
    const headers = { authorization: 'Bearer the-token-of-the-operator' }
    const metrics = await wrong.service.call('GET', '/metrics', { headers })
    expect(metrics.status).toBe(200)
    expect(metrics.text.split('\n').filter((line) => / -\d/.test(line))).toEqual([])
    expect(wrong.process.stderr()).not.toMatch(/Ms":-/)
    const events = await wrong.service.stream('/ops/v1/events', headers)
    const { data } = await events.until('health')
    expect(JSON.stringify(data)).not.toMatch(/Ms":-/)
    events.close()
  }

  describe.each([30, -30, -3_600])('by %d s', (seconds) => {
    beforeAll(() => shift(seconds))

    it('asks makers by the same deadline as the others, and ends what they miss when it is over (fault I9)', async () => {
      const { serverTime } = (await (await wrong.maker('watcher').connect()).messages.all()[0]) as {
        serverTime?: string
      }
      expectNow(serverTime)
      const sockets = [await wrong.maker('ada').connect(), await right.maker('ada').connect()]
      const { requestId, expiresAt } = await wrong.service.open()
      expectNow(expiresAt, TTL_MS)
      const quoteId = await right.maker('ada').quoted(requestId)
      const committing = wrong.service.commit(requestId, { wallet: wrong.service.wallet().address })
      const asked = await Promise.all(sockets.map((socket) => askedToSign(socket, requestId)))
      expect(new Set(asked.map(({ confirmationDeadline }) => confirmationDeadline)).size).toBe(1)
      const [first] = asked as [Accepted]
      const { confirmationDeadline, order } = first
      expectNow(confirmationDeadline, SIGN_WITHIN_MS)
      expect(order.validUntil * 1_000).toBeGreaterThan(Date.parse(confirmationDeadline))
      // One that is asked by the right node, late, is asked by the same deadline.
      const late = await right.maker('ada').connect()
      expect((await askedToSign(late, requestId)).confirmationDeadline).toBe(confirmationDeadline)
      expect(await committing).toMatchObject({ status: 503, body: { code: 'no_maker_confirmed' } })
      expectNow(confirmationDeadline)
      const signature = await right.maker('ada').sign(first)
      for (const node of [wrong, right]) {
        expect(await node.maker('ada').confirm(quoteId, signature)).toMatchObject({ status: 404 })
      }
      // Its request ends when the answer said, and not by the clock of the machine.
      const poll = () => right.service.call('GET', `/quote-requests/${requestId}/quotes`)
      await eventually(poll, ({ body }) => body.code === 'request_expired')
      expectNow(expiresAt)
      for (const socket of [...sockets, late]) socket.close()
    })

    it('trades, lets a quote end when it should, knows who is signed in, and counts no time backwards (fault I9)', async () => {
      const socket = await wrong.maker('bob').connect()
      const { requestId } = await right.service.open()
      const quoteId = await wrong.maker('bob').quoted(requestId)
      const committing = right.service.commit(requestId, { wallet: right.service.wallet().address })
      const accepted = await askedToSign(socket, requestId)
      expect((await wrong.maker('bob').confirm(quoteId, await wrong.maker('bob').sign(accepted))).status).toBe(200)
      const committed = await committing
      expect(committed.status).toBe(200)
      expectNow(committed.body.execution.executed_at)

      const other = await right.service.open()
      await wrong.maker('bob').quoted(other.requestId, { expires_in_ms: 1_200 })
      const count = async () =>
        (await right.service.call('GET', `/quote-requests/${other.requestId}/quotes`)).body.quoteCount
      expect(await count()).toBe(1)
      await eventually(count, (quotes) => quotes === 0)

      const headers = await wrong.accountHeaders()
      expect((await wrong.service.call('GET', '/v1/user/profile', { headers })).status).toBe(200)
      await expectNothingNegative()
      socket.close()
    })
  })
})
