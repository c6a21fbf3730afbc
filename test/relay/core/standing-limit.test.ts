import { describe, expect, it } from 'vitest'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import type { StandingLimit } from '../../../src/protocol/domain/request.ts'
import { contracts, type Hex, usd6 } from '../../../src/protocol/domain/units.ts'
import { requestIdOf } from '../../../src/protocol/domain/uuid.ts'
import { quoteRequestFrame } from '../../../src/protocol/wire/maker-stream.ts'
import type { OpenInput } from '../../../src/relay/core/open-request.ts'
import type { Acceptance } from '../../../src/relay/core/ports/store.ts'
import { settle } from '../../support/fake-clock.ts'
import {
  CALL_BUY,
  createTestRelay,
  OTHER_TAKER,
  proofOf,
  refusal,
  TAKER,
  type TestRelay,
  walletOf,
} from '../../support/test-relay.ts'

const ID = '1f0e8d6c-5b4a-4c3d-9e2f-7a6b5c4d3e2f'
const LIMIT = usd6(120_000n)
const STANDING: StandingLimit = { limitPrice: LIMIT, minContracts: null }
const PAUSE_MS = 1_000

const openStanding = (
  { relay }: Pick<TestRelay, 'relay'>,
  standing: Partial<StandingLimit> = {},
  more: Partial<OpenInput> = {},
) => relay.openRequest({ ...CALL_BUY, wallet: TAKER, locked: true, standing: { ...STANDING, ...standing }, ...more })

async function standing(options: Parameters<typeof createTestRelay>[0] = {}, limit: Partial<StandingLimit> = {}) {
  const fixture = createTestRelay(options)
  const [ada, bob] = [await fixture.connect('ada'), await fixture.connect('bob')]
  const { requestId, takerSecret } = await openStanding(fixture, limit)
  const quote = (makerId: string, price: bigint, size = 1_000n, { relay }: Pick<TestRelay, 'relay'> = fixture) =>
    relay.submitQuote({
      makerId,
      requestId,
      submission: {
        maker: walletOf(makerId),
        side: 'buy',
        price: usd6(price),
        size: contracts(size),
        expiresInMs: null,
      },
    })
  const statusOf = async ({ relay }: Pick<TestRelay, 'relay'> = fixture) =>
    (await relay.readRequest({ requestId, takerSecret })).status
  const kinds = () => fixture.auditLog.filter((entry) => entry.requestId === requestId).map(({ kind }) => kind)
  const faults = () => fixture.log.lines.filter(({ event }) => event === 'standing_commit_failed')
  return { ...fixture, fixture, ada, bob, requestId, takerSecret, quote, statusOf, kinds, faults }
}

const proofFor = async ({ chain }: TestRelay, limit: Partial<StandingLimit> = {}): Promise<Hex> => {
  const { limitPrice, minContracts } = { ...STANDING, ...limit }
  const commit = { wallet: TAKER, limitPrice, minContracts, expectedQuoteId: null, requestId: requestIdOf(ID) }
  return (await proofOf(chain, commit)) as Hex
}

describe('a request with a standing limit (protocol open-11)', () => {
  it('commits by itself once a quote is within the limit, not before and not above it', async () => {
    const { ada, bob, quote, statusOf, kinds, relay, requestId, takerSecret } = await standing()
    await quote('bob', 120_001n)
    await settle()
    expect([bob.accepted(), kinds()]).toEqual([[], ['opened', 'quoted']])
    await quote('ada', 120_000n)
    await settle()
    expect(bob.accepted()).toEqual([])
    expect(ada.accepted()).toMatchObject([{ order: { taker: TAKER }, quote: { price: LIMIT } }])
    await ada.confirm()
    expect(await statusOf()).toBe('committed')
    const terms = { wallet: TAKER, limitPrice: LIMIT, minContracts: null, expectedQuoteId: null }
    const { execution } = await relay.commit({ requestId, takerSecret, terms })
    expect(execution.acceptance.makerId).toBe('ada')
  })

  it('takes a quote only if it fills enough options', async () => {
    const { ada, quote, statusOf } = await standing({}, { minContracts: contracts(500n) })
    await quote('ada', 100_000n, 499n)
    await settle()
    expect(ada.accepted()).toEqual([])
    await quote('ada', 100_000n, 500n)
    await settle()
    await ada.confirm()
    expect(await statusOf()).toBe('committed')
  })

  it('does not trade with its own wallet', async () => {
    const { relay, requestId, kinds } = await standing()
    await relay.submitQuote({
      makerId: 'ada',
      requestId,
      submission: { maker: TAKER, side: 'buy', price: usd6(1n), size: contracts(1_000n), expiresInMs: null },
    })
    await settle()
    expect(kinds()).toEqual(['opened', 'quoted'])
  })

  it('tells those who watch it that it is committed, as of a commit on another connection', async () => {
    const { ada, quote, relay, requestId, takerSecret } = await standing()
    const seen: string[] = []
    await relay.watchRequest({
      requestId,
      takerSecret,
      onChange: ({ status, confirming }) => seen.push(`${status} ${confirming}`),
    })
    await quote('ada', 100_000n)
    await settle()
    await ada.confirm()
    expect(seen).toEqual(['open false', 'committed false'])
  })

  it('makes one trade of two quotes that come at once, on the better one', async () => {
    const { ada, bob, quote, fixture, requestId } = await standing()
    await Promise.all([quote('ada', 110_000n), quote('bob', 100_000n)])
    await settle()
    const asked = [...ada.accepted(), ...bob.accepted()]
    expect(asked).toHaveLength(1)
    await (asked[0]?.makerId === 'ada' ? ada : bob).confirm()
    await fixture.clock.advance(60_000)
    expect([...ada.accepted(), ...bob.accepted()]).toHaveLength(1)
    expect(await fixture.ports.store.executions.findByRequest(requestId)).not.toBeNull()
  })

  it('asks once for each quote: a maker that did not sign is asked again for its next one', async () => {
    const { ada, bob, quote, statusOf, fixture, kinds, faults } = await standing()
    await quote('ada', 100_000n)
    await settle()
    await quote('bob', 110_000n)
    await fixture.clock.advance(10_000)
    expect([ada.accepted().length, bob.accepted().length]).toEqual([1, 1])
    await fixture.clock.advance(60_000)
    expect([ada.accepted().length, bob.accepted().length]).toEqual([1, 1])
    expect([await statusOf(), kinds().at(-1), faults()]).toEqual(['open', 'commit_refused', []])
    await quote('bob', 105_000n)
    await settle()
    await fixture.clock.advance(12_500)
    await bob.confirm()
    expect(await statusOf()).toBe('committed')
  })

  it('looks no more than once in a while where quotes come without end, and at the last of them', async () => {
    const { quote, fixture, kinds, chain } = await standing()
    chain.registered.clear()
    for (let turn = 0; turn < 300; turn += 1) {
      await quote('ada', 100_000n - BigInt(turn))
      await fixture.clock.advance(100)
    }
    const begun = () => kinds().filter((kind) => kind === 'commit_started').length
    // At 0, 1, 3, 7 and 15 seconds.
    expect(begun()).toBe(5)
    await fixture.clock.advance(60_000)
    expect(begun()).toBe(6)
  })

  it('waits for a commit of other terms that runs, and commits once that has failed', async () => {
    const { ada, bob, quote, fixture, statusOf, relay, requestId, takerSecret, faults } = await standing()
    const { quoteId } = await quote('bob', 200_000n)
    const terms = { wallet: TAKER, limitPrice: null, minContracts: null, expectedQuoteId: quoteId }
    const manual = refusal(relay.commit({ requestId, takerSecret, terms }))
    await settle()
    await quote('ada', 100_000n)
    await fixture.clock.advance(9_000)
    expect([bob.accepted().length, ada.accepted().length]).toEqual([1, 0])
    await fixture.clock.advance(1_000)
    expect(await manual).toBe('no_maker_confirmed')
    await fixture.clock.advance(6_000)
    await ada.confirm()
    expect([await statusOf(), faults()]).toEqual(['committed', []])
  })

  it('refuses a commit of other terms while its own runs, and answers one of the same terms with the same order', async () => {
    const { ada, quote, relay, requestId, takerSecret } = await standing()
    await quote('ada', 100_000n)
    await settle()
    const terms = { wallet: TAKER, limitPrice: LIMIT, minContracts: null, expectedQuoteId: null }
    const other = { ...terms, limitPrice: usd6(130_000n) }
    expect(await refusal(relay.commit({ requestId, takerSecret, terms: other }))).toBe('commit_in_progress')
    const joined = relay.commit({ requestId, takerSecret, terms })
    await settle()
    await ada.confirm()
    expect((await joined).execution.acceptance.order.nonce).toBe(ada.accepted()[0]?.order.nonce)
  })

  it('tries again after an outage of the chain, without another quote', async () => {
    const { ada, quote, fixture, chain, statusOf, faults } = await standing()
    const { isNonceUsed } = chain
    chain.isNonceUsed = () => Promise.reject(new RfqError('chain_unavailable'))
    await quote('ada', 100_000n)
    await settle()
    expect(ada.accepted()).toEqual([])
    chain.isNonceUsed = isNonceUsed
    await fixture.clock.advance(PAUSE_MS)
    await ada.confirm()
    expect([await statusOf(), faults()]).toEqual(['committed', []])
  })

  it('can be cancelled, and then commits no more', async () => {
    const { ada, quote, relay, requestId, takerSecret } = await standing()
    await relay.cancelRequest({ requestId, takerSecret })
    expect(await refusal(quote('ada', 100_000n))).toBe('request_closed')
    await settle()
    expect(ada.accepted()).toEqual([])
  })

  it('takes a firm quote at once when its maker has signed it, and does not ask for it meanwhile', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { requestId, takerSecret } = await openStanding(fixture, {}, { firmOnly: true })
    const soft = { maker: walletOf('ada'), side: 'buy' as const, price: LIMIT, size: contracts(1_000n) }
    await fixture.relay.submitQuote({ makerId: 'ada', requestId, submission: { ...soft, expiresInMs: null } })
    await settle()
    expect((await fixture.relay.readRequest({ requestId, takerSecret })).status).toBe('open')
    const other = await openStanding(fixture)
    for (const one of [requestId, other.requestId]) {
      await fixture.quoteFirm('ada', one)
      await settle()
      const execution = await fixture.ports.store.executions.findByRequest(one)
      expect(execution?.acceptance).toMatchObject({ makerId: 'ada', quote: { isFirm: true } })
    }
    expect(ada.accepted()).toEqual([])
  })

  it('commits for a wallet that makers do not see, and for it alone', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const blind = { wallet: null, blindWallet: TAKER, clientRequestId: ID }
    const proof = await proofFor(fixture)
    const { requestId } = await openStanding(fixture, { proof }, blind)
    await fixture.relay.submitQuote({
      makerId: 'ada',
      requestId,
      submission: {
        maker: walletOf('ada'),
        side: 'buy',
        price: LIMIT,
        size: contracts(1_000n),
        expiresInMs: null,
      },
    })
    await settle()
    await ada.confirm()
    const execution = await fixture.ports.store.executions.findByRequest(requestId)
    expect(execution?.acceptance).toMatchObject({ order: { taker: TAKER }, proven: true })
  })

  it('is the same request to makers and in the log, byte for byte, with and without a limit', async () => {
    const seen = await Promise.all(
      [STANDING, undefined].map(async (limit) => {
        const fixture = createTestRelay()
        const frames: unknown[] = []
        fixture.relay.listenMakerFeed((event) => {
          if (event.kind === 'quote_request') frames.push(quoteRequestFrame(event.id, event.request))
        })
        await fixture.relay.openRequest({
          ...CALL_BUY,
          wallet: TAKER,
          locked: true,
          ...(limit === undefined ? {} : { standing: { ...limit, proof: await proofFor(fixture) } }),
          clientRequestId: ID,
        })
        return JSON.stringify([frames, fixture.auditLog], (_, part) => (typeof part === 'bigint' ? `${part}` : part))
      }),
    )
    expect(seen[0]).toContain('quote_request')
    expect(seen[0]).toBe(seen[1])
  })
})

describe('the proof of a standing limit (protocol open-11)', () => {
  it('is checked at the opening, signs the id that follows from the name, and makes the order a proven one', async () => {
    const fixture = createTestRelay({ settings: { commitProof: 'required' } })
    const ada = await fixture.connect('ada')
    const proof = await proofFor(fixture)
    const named = { clientRequestId: ID, locked: false }
    expect(await refusal(openStanding(fixture, {}, named))).toBe('proof_required')
    expect(await refusal(openStanding(fixture, { proof, limitPrice: usd6(120_001n) }, named))).toBe('invalid_signature')
    expect(await refusal(openStanding(fixture, { proof }, { ...named, wallet: OTHER_TAKER }))).toBe('invalid_signature')
    expect(fixture.auditLog).toEqual([])
    const { requestId } = await openStanding(fixture, { proof }, named)
    expect(requestId).toBe(requestIdOf(ID))
    await fixture.quote('ada', requestId)
    await settle()
    await ada.confirm()
    const execution = await fixture.ports.store.executions.findByRequest(requestId)
    expect(execution?.acceptance.proven).toBe(true)
  })

  it('is looked at again by the commit: a key that was revoked since makes no trade', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const commit = { ...STANDING, wallet: TAKER, expectedQuoteId: null, requestId: requestIdOf(ID) }
    const proof = (await proofOf(fixture.chain, commit)) as Hex
    const safe = walletOf('safe')
    fixture.chain.contracts.set(safe, () => true)
    const { requestId } = await openStanding(fixture, { proof }, { wallet: safe, locked: false, clientRequestId: ID })
    let looks = 0
    fixture.chain.contracts.set(safe, () => {
      looks += 1
      return false
    })
    await fixture.quote('ada', requestId)
    await settle()
    expect(looks).toBe(1)
    await fixture.clock.advance(60_000)
    expect(looks).toBe(1)
    expect(ada.accepted()).toEqual([])
    expect(fixture.auditLog.map(({ kind }) => kind)).toEqual(['opened', 'quoted'])
    expect(fixture.log.lines.filter(({ event }) => event === 'standing_commit_failed')).toEqual([])
  })

  it('is worth having: without it all standing commits share the orders that one client gets of a maker', async () => {
    const fixture = createTestRelay({ settings: { maxUnprovenOrders: 1 } })
    const ada = await fixture.connect('ada')
    const asked = async (standing: Partial<StandingLimit>, more: Partial<OpenInput>) => {
      const { requestId } = await openStanding(fixture, standing, { locked: false, ...more })
      await fixture.quote('ada', requestId)
      await settle()
      return ada.accepted().length
    }
    expect(await asked({}, { clientAddress: '192.0.2.1' })).toBe(1)
    expect(await asked({}, { clientAddress: '192.0.2.2' })).toBe(1)
    expect(await asked({ proof: await proofFor(fixture) }, { clientRequestId: ID })).toBe(2)
  })

  it('refuses a limit that no option can cost', async () => {
    const fixture = createTestRelay()
    expect(await refusal(openStanding(fixture, { limitPrice: usd6(1_000_001n) }))).toBe('invalid_request')
  })

  it('is of other terms where the limit differs, not where the wallet has signed it in another way', async () => {
    const fixture = createTestRelay()
    const proof = await proofFor(fixture)
    const named = { clientRequestId: ID }
    const first = await openStanding(fixture, { proof }, named)
    expect(await openStanding(fixture, { proof: '0x5afe' }, named)).toEqual(first)
    const reused = 'client_request_id_reused'
    expect(await refusal(openStanding(fixture, {}, named))).toBe(reused)
    expect(await refusal(openStanding(fixture, { proof, limitPrice: usd6(1n) }, named))).toBe(reused)
    expect(await refusal(openStanding(fixture, { proof, minContracts: contracts(1n) }, named))).toBe(reused)
    expect(await refusal(fixture.relay.openRequest({ ...CALL_BUY, wallet: TAKER, locked: true, ...named }))).toBe(
      reused,
    )
  })
})

describe('a standing limit after a restart (protocol open-11)', () => {
  it('commits to the first quote that is within it', async () => {
    const { fixture, quote, statusOf } = await standing()
    const after = await fixture.restart()
    const ada = await after.connect('ada')
    await quote('ada', 100_000n, 1_000n, after)
    await settle()
    await ada.confirm()
    expect(await statusOf(after)).toBe('committed')
  })

  it('commits to a quote that the book has kept, and to none beyond the limit', async () => {
    const { fixture, requestId, ada } = await standing()
    const { book } = fixture.ports
    const quoted = { requestId, side: 'buy' as const, size: contracts(1_000n), pricedAt: 0, expiresAt: Infinity }
    await book.put({ ...quoted, quoteId: 'bob-1', makerId: 'bob', maker: walletOf('bob'), price: usd6(130_000n) })
    await fixture.relay.start()
    await settle()
    expect(fixture.auditLog.map(({ kind }) => kind)).not.toContain('commit_started')
    await book.put({ ...quoted, quoteId: 'ada-1', makerId: 'ada', maker: walletOf('ada'), price: usd6(110_000n) })
    await fixture.relay.start()
    await settle()
    expect(ada.accepted()).toHaveLength(1)
    fixture.relay.stop()
  })

  it('commits again where the node that ran its commit is gone, and its maker did not sign', async () => {
    const overdue: Acceptance[] = []
    const takeover = {
      endOverdue: async () => overdue.splice(0),
      unannounced: async () => [],
      quotedBy: async () => [],
      announced: () => {},
    }
    const fixture = createTestRelay({ ports: { takeover } })
    const bob = await fixture.connect('bob')
    await fixture.relay.start()
    const { requestId } = await openStanding(fixture)
    const { book } = fixture.ports
    // As another node took them.
    const quoted = { requestId, side: 'buy' as const, size: contracts(1_000n), pricedAt: 0, expiresAt: Infinity }
    await book.put({ ...quoted, quoteId: 'ada-1', makerId: 'ada', maker: walletOf('ada'), price: usd6(100_000n) })
    await book.put({ ...quoted, quoteId: 'bob-1', makerId: 'bob', maker: walletOf('bob'), price: usd6(110_000n) })
    await book.lock({ requestId, makerId: 'ada', quoteId: 'ada-1' })
    overdue.push({ acceptanceId: 'left', requestId, quoteId: 'ada-1', makerId: 'ada' } as Acceptance)
    await fixture.clock.advance(250)
    expect(bob.accepted()).toHaveLength(1)
    fixture.relay.stop()
  })

  it('commits again where such a node had asked no one yet', async () => {
    const orphans: string[] = []
    const takeover = {
      endOverdue: async () => [],
      unannounced: async () => [],
      quotedBy: async () => [],
      announced: () => {},
    }
    const fixture = createTestRelay({ ports: { takeover } })
    const { book } = fixture.ports
    book.orphans = async () => orphans.splice(0)
    const ada = await fixture.connect('ada')
    await fixture.relay.start()
    const { requestId } = await openStanding(fixture)
    const quoted = { requestId, side: 'buy' as const, size: contracts(1_000n), pricedAt: 0, expiresAt: Infinity }
    await book.put({ ...quoted, quoteId: 'ada-1', makerId: 'ada', maker: walletOf('ada'), price: usd6(100_000n) })
    await book.lock({ requestId, makerId: 'ada', quoteId: 'ada-1' })
    orphans.push(requestId)
    await fixture.clock.advance(1_000)
    expect(ada.accepted()).toHaveLength(1)
    fixture.relay.stop()
  })
})
