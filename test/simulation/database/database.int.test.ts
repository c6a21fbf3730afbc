import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NO_PROTECTIONS } from '../../../src/protocol/domain/maker-protections.ts'
import type { QuoteRequest } from '../../../src/protocol/domain/request.ts'
import { type Contracts, contracts, type Usd6, usd6 } from '../../../src/protocol/domain/units.ts'
import { createSystemClock } from '../../../src/relay/adapters/clock.ts'
import { createPostgresStore, type PostgresStore } from '../../../src/relay/adapters/store/postgres.ts'
import { admit } from '../../../src/relay/core/admit.ts'
import type { Acceptance, Store } from '../../../src/relay/core/ports/store.ts'
import { anAcceptance, aQuote, aRequest, freshWallet, SIGNATURE } from '../../ports/store.fixtures.ts'
import { createFakeLog } from '../../support/fake-log.ts'
import { POSTGRES_HINT, POSTGRES_URL, runSql, temporarySchema } from '../../support/postgres.ts'
import { RELAY_SETTINGS } from '../../support/test-relay.ts'
import { createRandom, type Random } from '../time/random.ts'
import { createDatabase } from './database.ts'

/** Does one thing to a store, and resolves with what can be compared. */
type Step = { text: string; run: (store: Store) => Promise<unknown> }

/** What both stores are asked about. */
type Scene = { requests: QuoteRequest[]; acceptances: Acceptance[]; makers: string[]; now: () => number }

const STEPS = 400
const RULE = { ...RELAY_SETTINGS.breaker, suspensionMs: 60_000, minOutcomes: 3, below: 80 }

/** Times are those of each store's own clock. */
const timeless = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (name, part: unknown) =>
      ['at', 'executedAt', 'until', 'since', 'confirmedAt', 'version'].includes(name)
        ? part === null
          ? null
          : 'some'
        : typeof part === 'bigint'
          ? String(part)
          : part,
    ),
  )

const contractsOf = (amount: bigint | null): Contracts | null => (amount === null ? null : contracts(amount))
const usdOf = (amount: bigint | null): Usd6 | null => (amount === null ? null : usd6(amount))

function drawStep(random: Random, { requests, acceptances, makers, now }: Scene): Step {
  const makerId = random.pick(makers)
  const request = random.pick(requests)
  const { requestId } = request
  const one = acceptances.length === 0 ? null : random.pick(acceptances)
  const note = random.pick(['missed', 'declined', 'confirmed', 'bad_signature'] as const)
  const boundOf = (most: number): bigint | null => (random.chance(0.5) ? BigInt(1 + random.below(most)) : null)
  const windows = Array.from({ length: random.below(3) }, () => ({
    ms: random.pick([60_000, 3_600_000]),
    maxAccepted: random.chance(0.5) ? 1 + random.below(4) : null,
    maxContracts: contractsOf(boundOf(300)),
    maxNotional: usdOf(boundOf(40_000_000)),
    maxCollateral: usdOf(boundOf(100_000_000)),
  }))
  const steps: Step[] = [
    { text: `insert ${requestId}`, run: (store) => store.requests.insert(request) },
    { text: `insert ${requestId}`, run: (store) => store.requests.insert(request) },
    { text: `find ${requestId}`, run: (store) => store.requests.find(requestId) },
    { text: `active of ${requestId}`, run: (store) => store.acceptances.findActive(requestId) },
    {
      text: `put protections of ${makerId}`,
      run: async (store) => (await store.protections.put(makerId, { ...NO_PROTECTIONS, windows })).trip,
    },
    { text: `reset ${makerId}`, run: async (store) => (await store.protections.reset(makerId))?.trip ?? null },
    { text: `protections of ${makerId}`, run: (store) => store.protections.find(makerId) },
    {
      text: `reject ${makerId} on ${requestId}`,
      run: async (store) =>
        store.history.reject(requestId, [
          { makerId, requestId, quoteId: `${makerId} ${requestId}`, reason: 'request_expired' },
        ]),
    },
    {
      text: `history of ${makerId}`,
      run: async (store) => {
        const page = await store.history.list({ makerId, after: null, since: null, status: null, limit: 100 })
        return page?.map(({ status, quoteId }) => `${status} ${quoteId}`).toSorted()
      },
    },
    {
      text: `note ${note} of ${makerId}`,
      run: async (store) =>
        (await store.makerRecords.note(
          makerId,
          { kind: note, requestId, quoteId: `${makerId} ${requestId}` },
          RULE,
        )) !== null,
    },
    { text: `reinstate ${makerId}`, run: (store) => store.makerRecords.reinstate(makerId) },
    {
      text: `record of ${makerId}`,
      run: async (store) =>
        (await store.makerRecords.find(makerId)).outcomes.map(({ kind, quoteId }) => `${kind} ${quoteId}`).toSorted(),
    },
  ]
  // Two makers have one wallet.
  const wallet = freshWalletOf(makerId.replace(/^bob/, 'ada'))
  const late = random.chance(0.2) ? { deadline: now() - 1_000 } : {}
  const proven = random.chance(0.7) ? ({ proven: true } as const) : {}
  const size = contracts(BigInt(random.pick([10, 100])))
  const acceptance = anAcceptance(request, {
    now: now(),
    quote: aQuote(request, { makerId, quoteId: `${makerId} ${requestId}`, maker: wallet, size }),
    acceptanceId: `acceptance ${acceptances.length} of ${requestId}`,
    ...late,
    ...proven,
  })
  const inserting: Step = {
    text: `insert ${acceptance.acceptanceId} of ${makerId}`,
    run: (store) => admit(store, acceptance),
  }
  const facts: Step = {
    text: `facts of ${makerId} for ${requestId}`,
    run: async (store) => {
      const { isFree, used, suspension } = await store.acceptances.factsOf(acceptance, null)
      return { isFree, used, isSuspended: suspension !== null }
    },
  }
  steps.push(inserting, inserting, inserting, facts, facts)
  if (one !== null) {
    const signed = { executionId: `execution of ${one.acceptanceId}`, signature: SIGNATURE }
    const { acceptanceId } = one
    const confirming: Step = {
      text: `confirm ${acceptanceId}`,
      run: (store) => store.acceptances.confirm(acceptanceId, signed),
    }
    steps.push(
      ...[confirming, confirming, confirming, confirming],
      { text: `decline ${acceptanceId}`, run: (store) => store.acceptances.end(acceptanceId, 'declined') },
      { text: `time out ${acceptanceId}`, run: (store) => store.acceptances.end(acceptanceId, 'timed_out') },
      { text: `withdraw ${acceptanceId}`, run: (store) => store.acceptances.withdraw(acceptanceId) },
      {
        text: `what ${one.makerId} owes`,
        run: async (store) => {
          const { orders } = await store.acceptances.outstandingOf(one.order.maker, 0)
          return orders.map((order) => `${order.acceptanceId} ${order.confirmedAt === null}`).toSorted()
        },
      },
      { text: `trade of ${one.requestId}`, run: (store) => store.executions.findByRequest(one.requestId) },
    )
  }
  if (random.chance(0.04))
    return { text: `close ${requestId}`, run: (store) => store.requests.close(requestId, 'expired') }
  const step = random.pick(steps)
  if (step === inserting) acceptances.push(acceptance)
  return step
}

const wallets = new Map<string, ReturnType<typeof freshWallet>>()
const freshWalletOf = (makerId: string) => {
  const wallet = wallets.get(makerId) ?? freshWallet()
  wallets.set(makerId, wallet)
  return wallet
}

describe.skipIf(POSTGRES_URL === undefined)(`the model of Postgres${POSTGRES_HINT}`, () => {
  const { url, schema, drop } = temporarySchema()
  const clock = createSystemClock()
  let postgres: PostgresStore

  beforeAll(async () => {
    postgres = await createPostgresStore({ url, schema, clock, log: createFakeLog(), isShared: true })
    // What was signed within a second before is taken for later, which the model, of one process, need not allow for.
    const confirm = "pg_get_functiondef('confirm_acceptance'::regproc)"
    const options = encodeURIComponent(`-c search_path=${schema}`)
    await runSql(
      `do $do$ begin execute replace(${confirm}, '- 1000', '- 0'); end $do$`,
      [],
      `${url}?options=${options}`,
    )
  })
  afterAll(async () => {
    await postgres.close()
    await drop()
  })

  it.each([1, 2, 3, 4, 5, 6])('answers as a server does, whatever it is asked: sequence %i', async (seed) => {
    const database = createDatabase({ trueTime: clock.now, random: createRandom(`database ${seed}`) })
    database.open()
    const random = createRandom(`differential ${seed}`)
    const scene: Scene = {
      requests: Array.from({ length: 30 }, () => aRequest(clock.now())),
      acceptances: [],
      makers: ['ada', 'bob', 'cyd'].map((name) => `${name} ${seed} ${schema}`),
      now: clock.now,
    }
    const done: string[] = []
    for (let i = 0; i < STEPS; i += 1) {
      const step = drawStep(random, scene)
      done.push(step.text)
      const ofServer = timeless(await step.run(postgres))
      const ofModel = timeless(await database.run(step.run))
      expect(ofModel, done.slice(-12).join('\n')).toEqual(ofServer)
    }
  })

  it('gives a request and a wallet one nonce, and each request another one, as a server does', async () => {
    const database = createDatabase({ trueTime: clock.now, random: createRandom('nonces') })
    database.open()
    for (const store of [postgres, database.run((one) => one)]) {
      const wallet = freshWallet()
      const [one, two] = [aRequest(clock.now()), aRequest(clock.now())]
      for (const request of [one, two]) await store.requests.insert(request)
      const first = await store.allotNonce(one.requestId, wallet)
      expect(await store.allotNonce(one.requestId, wallet)).toBe(first)
      expect(await store.allotNonce(two.requestId, wallet)).toBe(first + 1)
      await store.requests.close(one.requestId, 'expired')
      expect(await store.allotNonce(one.requestId, wallet)).toBe(first)
    }
  })
})
