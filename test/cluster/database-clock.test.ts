import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildWhenStale } from '../kit/build.ts'
import { eventually } from '../kit/eventually.ts'
import { closeAll, keep } from '../kit/keep.ts'
import { askedToSign } from '../kit/maker.ts'
import { startRelay } from '../kit/relay-process.ts'
import { createFakeTime, type FakeTime, LIBFAKETIME } from '../support/fake-time.ts'
import { createOwnPostgres, type OwnPostgres, POSTGRES_BIN } from '../support/own-postgres.ts'
import { createOwnRedis, HAS_REDIS, type OwnRedis } from '../support/own-redis.ts'
import { KEYS, type Node, nodeOf } from './node.ts'

/** Enough for the maker that signs, on a busy machine; the one that does not is waited for. */
const SIGN_WITHIN_MS = '6000'
const HOUR_S = 3_600

/** What two nodes that know of the same set clock may say of the time beside each other, on a busy machine, in milliseconds. */
const CLOSE_MS = 1_000

const isThere = HAS_REDIS && POSTGRES_BIN !== null && LIBFAKETIME !== null
const hint = isThere ? '' : ' (skipped: needs redis-server, the programs of Postgres, and libfaketime)'

describe.skipIf(!isThere)(`two nodes on a Postgres whose clock is set${hint}`, () => {
  let time: FakeTime
  let postgres: OwnPostgres
  let redis: OwnRedis
  let a: Node
  let b: Node

  async function start(): Promise<Node> {
    const env = {
      MAKER_API_KEYS: JSON.stringify(KEYS),
      MAKER_CONFIRMATION_MS: SIGN_WITHIN_MS,
      UNPROVEN_CONFIRMATION_MS: SIGN_WITHIN_MS,
      MAKER_MISSES_BEFORE_DEMOTION: '1000',
    }
    const flags = ['--no-chain', '--database-url', postgres.url, '--redis-url', redis.url]
    const process = await startRelay({ flags, env })
    keep(() => process.signal('SIGKILL'))
    return nodeOf(process, null)
  }

  beforeAll(async () => {
    await buildWhenStale()
    time = createFakeTime()
    keep(time.remove)
    postgres = await createOwnPostgres({ env: { ...time.env, FAKETIME_NO_CACHE: '1' } })
    redis = await createOwnRedis()
    ;[a, b] = await Promise.all([start(), start()])
  })
  afterAll(async () => {
    closeAll()
    await redis?.kill()
    await postgres?.remove()
  })

  const timeOf = async (node: Node) => Number((await node.service.call('GET', '/time')).body.unixMs)

  const leapsOf = ({ process }: Node) =>
    process
      .stderr()
      .split('\n')
      .filter((line) => line.includes('"clock_leapt"'))
      .map((line) => Math.round(JSON.parse(line).durationMs / 1_000))

  /** A maker that does not sign is missed, and its signature late, on each node; a quote lapses; another maker trades. */
  async function expectTimeGoesOn(): Promise<void> {
    const silent = await a.maker('ada').connect()
    const { requestId } = await a.service.open()
    const quoteId = await b.maker('ada').quoted(requestId)
    const committing = a.service.commit(requestId, { wallet: a.service.wallet().address })
    const accepted = await askedToSign(silent, requestId)
    expect(await committing).toMatchObject({ status: 503, body: { code: 'no_maker_confirmed' } })
    const signature = await a.maker('ada').sign(accepted)
    for (const node of [a, b])
      expect(await node.maker('ada').confirm(quoteId, signature)).toMatchObject({ status: 404 })
    silent.close()

    const other = await b.service.open()
    await a.maker('bob').quoted(other.requestId, { expires_in_ms: 500 })
    const shown = async () => (await b.service.call('GET', `/quote-requests/${other.requestId}/quotes`)).body.quoteCount
    await eventually(shown, (count) => count === 0)

    const socket = await b.maker('bob').connect()
    await a.maker('bob').quoted(other.requestId)
    const trading = a.service.commit(other.requestId, { wallet: a.service.wallet().address })
    const asked = await askedToSign(socket, other.requestId)
    expect((await b.maker('bob').confirm(asked.quoteId, await b.maker('bob').sign(asked))).status).toBe(200)
    expect((await trading).status).toBe(200)
    socket.close()
  }

  /** Both nodes, and one that starts now, come to say the same. */
  async function expectAgreement(): Promise<void> {
    const late = await start()
    const timesTold = async () => [await timeOf(a), await timeOf(late), await timeOf(b), await timeOf(a)] as const
    await eventually(timesTold, ([before, atLate, atB, after]) =>
      [atLate, atB].every((told) => told > before - CLOSE_MS && told < after + CLOSE_MS),
    )
    expect((await late.process.stop()).code).toBe(0)
  }

  it('an hour back: deadlines end, quotes lapse, and no late signature is taken (fault I15)', async () => {
    const before = [await timeOf(a), await timeOf(b)] as const
    time.shift(-HOUR_S)
    await expectTimeGoesOn()
    expect(await timeOf(a)).toBeGreaterThan(before[0])
    expect(await timeOf(b)).toBeGreaterThan(before[1])
    await expectAgreement()
    for (const node of [a, b]) {
      await eventually(
        () => leapsOf(node),
        (leaps) => leaps.length > 0,
      )
      expect(leapsOf(node)).toEqual([-HOUR_S])
    }
  })

  it('an hour ahead and back: time advances at once (fault I15)', async () => {
    const before = await timeOf(a)
    time.shift(2 * HOUR_S)
    for (const node of [a, b]) {
      await eventually(
        () => timeOf(node),
        (now) => now > before + HOUR_S * 1_000,
      )
    }
    time.shift(HOUR_S)
    await expectTimeGoesOn()
    await expectAgreement()
  })
})
