import fc from 'fast-check'
import { usd6 } from '../../src/protocol/domain/units.ts'
import { encodeTranscript } from '../../src/protocol/wire/transcript.ts'
import type { TranscriptReader } from '../../src/relay/core/relay.ts'
import { settle } from './fake-clock.ts'
import { createTestRelay, refusal, type TestRelay, walletOf } from './test-relay.ts'

const MAKERS = ['ada', 'bob', 'cyd', 'dan', 'eve'] as const
type Name = (typeof MAKERS)[number]

type Step =
  | { kind: 'quote'; name: Name; price: number; size: number; expiresInMs: number | null }
  | { kind: 'withdraw'; name: Name }
  | { kind: 'wait'; ms: number }
  | { kind: 'defund'; name: Name }
  | { kind: 'commit'; answers: readonly ('sign' | 'decline' | 'miss')[]; limit: number | null }

/** The life of a request: makers quote, re-quote, withdraw, lose their money; a taker commits; makers sign, decline or miss. */
export const HISTORY = fc.record({
  steps: fc.array(
    fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          kind: fc.constant('quote' as const),
          name: fc.constantFrom(...MAKERS),
          price: fc.integer({ min: 60_000, max: 200_000 }),
          size: fc.integer({ min: 500, max: 2_000 }),
          expiresInMs: fc.constantFrom(null, 3_000, 60_000),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), name: fc.constantFrom(...MAKERS) }) },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 5_000 }) }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('defund' as const), name: fc.constantFrom(...MAKERS) }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('commit' as const),
          answers: fc.array(fc.constantFrom('sign' as const, 'sign' as const, 'decline' as const, 'miss' as const), {
            minLength: 5,
            maxLength: 5,
          }),
          limit: fc.constantFrom(null, null, 90_000, 130_000),
        }),
      },
    ),
    { minLength: 1, maxLength: 14 },
  ),
  isConnected: fc.array(fc.boolean(), { minLength: MAKERS.length, maxLength: MAKERS.length }),
})

export type History = typeof HISTORY extends fc.Arbitrary<infer Value> ? Value : never

/** Plays a history on a real relay. Its taker cancels in the end, unless there is a trade. */
export async function playHistory({ steps, isConnected }: History) {
  const fixture = createTestRelay({ hasTransparencyLog: true })
  const makers = new Map<string, Awaited<ReturnType<TestRelay['connect']>>>()
  for (const [i, name] of MAKERS.entries()) if (isConnected[i] === true) makers.set(name, await fixture.connect(name))
  const { requestId, takerSecret } = await fixture.open()
  const quotes = new Map<string, string>()
  let isOver = false
  for (const step of steps) {
    if (isOver) break
    if (step.kind === 'quote') {
      const { name, price, size, expiresInMs } = step
      const quoted = await fixture
        .quote(name, requestId, { price: usd6(BigInt(price)), size: BigInt(size) as never, expiresInMs })
        .catch(() => null)
      if (quoted !== null) quotes.set(name, quoted)
    }
    if (step.kind === 'withdraw' && quotes.has(step.name))
      await refusal(
        fixture.relay.withdrawQuote({ makerId: step.name, quoteId: quotes.get(step.name) as string }),
      ).catch(() => {})
    if (step.kind === 'wait') await fixture.clock.advance(step.ms)
    if (step.kind === 'defund')
      fixture.chain.wallets.set(walletOf(step.name), { core: { balance: usd6(0n), allowance: usd6(0n) } })
    if (step.kind === 'commit') isOver = await commitAs(fixture, makers, requestId, step)
  }
  if (!isOver) await fixture.relay.cancelRequest({ requestId, takerSecret }).catch(() => {})
  await settle()
  return { fixture, requestId, takerSecret }
}

async function commitAs(
  fixture: TestRelay,
  makers: ReadonlyMap<string, Awaited<ReturnType<TestRelay['connect']>>>,
  requestId: string,
  { answers, limit }: Extract<Step, { kind: 'commit' }>,
): Promise<boolean> {
  let outcome = 'running'
  const isRunning = () => outcome === 'running'
  fixture.commit(requestId, { limitPrice: limit === null ? null : usd6(BigInt(limit)) }).then(
    () => (outcome = 'trade'),
    () => (outcome = 'refused'),
  )
  const answered = new Set<string>()
  for (const answer of [...answers, ...answers]) {
    await settle()
    if (!isRunning()) break
    for (const [name, maker] of makers)
      for (const { quoteId } of maker.accepted()) {
        const key = `${name} ${quoteId} ${maker.accepted().length}`
        if (answered.has(key) || answer === 'miss') continue
        answered.add(key)
        if (answer === 'sign') await maker.confirm().catch(() => {})
        else await fixture.relay.decline({ makerId: name, quoteId }).catch(() => {})
      }
    await settle()
    if (isRunning()) await fixture.clock.advance(10_001)
  }
  await settle()
  return outcome === 'trade'
}

/** The file of a transcript, as its reader has it. */
export async function fileOf(
  { relay, publish }: TestRelay,
  requestId: string,
  reader: TranscriptReader,
): Promise<string> {
  await publish()
  return encodeTranscript(await relay.readTranscript({ requestId, reader }))
}
