import fc from 'fast-check'
import { optionText } from '../../src/lib/format.ts'
import type { CommitTerms } from '../../src/protocol/domain/commit.ts'
import { RfqError } from '../../src/protocol/domain/errors.ts'
import type { Order } from '../../src/protocol/domain/order.ts'
import { type RequestTerms, type Side, seriesTermsOf, type Trade } from '../../src/protocol/domain/request.ts'
import { seriesIdOf } from '../../src/protocol/domain/series.ts'
import { type Address, contracts, usd6 } from '../../src/protocol/domain/units.ts'
import type { FirmQuote } from '../../src/relay/core/create-acceptance.ts'
import type { BookTop } from '../../src/relay/core/ports/book.ts'
import type { Acceptance } from '../../src/relay/core/ports/store.ts'
import type { Relay } from '../../src/relay/core/relay.ts'
import type { ObservationOf } from '../invariants/observation.ts'
import { settle } from '../support/fake-clock.ts'
import { CALL_BUY, OTHER_TAKER, PUT_SELL, proofOf, TAKER } from '../support/test-relay.ts'
import { connectSocket, connectStream } from './connections.ts'
import { authenticate, createKey, MAKERS, type MakerName, ownerOf, revokeKey, signatureOf, walletOf } from './makers.ts'
import { checkAlways } from './properties.ts'
import { shownOf } from './trace.ts'
import { CALL_BOTH, COLD, EXPIRED, nonceOf, PACKAGE_BUY, POOR, SHORT_CALL, type World } from './world.ts'

/** One step of a run: does something to the world and says what, for the report of a failing run. */
export type Step = { text: string; run: (world: World) => void | Promise<void>; [fc.toStringMethod]: () => string }

const step = (text: string, run: Step['run']): Step => ({ text, run, [fc.toStringMethod]: () => text })

export type Requested = World['requests'][number]

const TAKERS: readonly Address[] = [TAKER, OTHER_TAKER]
const maker = fc.constantFrom(...MAKERS)
const request = fc.nat(2)

/** A step on one of the requests that exist; nothing when there is none. */
const onRequest = (text: string, index: number, act: (world: World, request: Requested) => void): Step =>
  step(`${text} #${index}`, (world) => {
    const target = world.requests[index % Math.max(1, world.requests.length)]
    if (target !== undefined) act(world, target)
  })

const OPENED: Readonly<Record<string, RequestTerms>> = {
  'a buy': CALL_BUY,
  'a sell': PUT_SELL,
  'a buy of what expires soon': SHORT_CALL,
  'a buy of a package': PACKAGE_BUY,
  'a request for both sides': CALL_BOTH,
}

const opened = fc.constantFrom(...Object.keys(OPENED), 'a buy of what expires soon')

/** Most name the wallet of a taker. */
const named = fc.nat(4).map((n) => n > 0)

/** Some take what the seller holds. */
const inventories = fc.nat(2).map((n) => n === 0)

const open = fc.tuple(opened, named, inventories).map(([what, namesWallet, takesInventory]) =>
  step(`open ${what}${namesWallet ? ' of a wallet' : ''}${takesInventory ? ' from inventory' : ''}`, async (world) => {
    const asked = OPENED[what] as RequestTerms
    const { trade } = asked
    // The relay locks each request for both sides.
    const terms = { ...asked, wallet: namesWallet ? TAKER : null, locked: trade.side === 'both' }
    const inventory = takesInventory ? ({ inventory: true } as const) : {}
    const opening = world.relay.openRequest({ ...terms, ...inventory }).catch(() => null)
    await world.drain()
    const answer = await opening
    // The option has expired.
    if (answer === null) return
    const { requestId, takerSecret } = answer
    const opened = { requestId, takerSecret, side: trade.side }
    world.requests.push(opened)
    world.collector.observe({ ...openedOf(requestId, trade), namesWallet })
    watch(world, opened)
    await world.drain()
  }),
)

/** A request as it was asked for. */
const openedOf = (requestId: string, trade: Trade): ObservationOf<'request_opened'> =>
  trade.side === 'buy'
    ? { kind: 'request_opened', requestId, side: 'buy', budget: trade.budget, size: trade.most ?? null }
    : { kind: 'request_opened', requestId, side: trade.side, budget: null, size: trade.size }

/** A taker that watches a request, and records what it is shown. */
function watch(world: World, { requestId, takerSecret }: Pick<Requested, 'requestId' | 'takerSecret'>): void {
  const { relay, trace, collector, start } = world
  world.watches += 1
  const stream = `stream ${world.watches} of the taker of ${requestId}`
  const onChange = (top: BookTop) => {
    trace.tops.set(requestId, shownOf(top))
    collector.streamed(stream, requestId, top)
  }
  start(relay.watchRequest({ requestId, takerSecret, onChange }).then(({ top }) => onChange(top)))
}

/** A quote of a maker, at times for the wallet of another one. */
const quoteFor = (owner: fc.Arbitrary<MakerName | null>): fc.Arbitrary<Step> =>
  fc
    .record({
      maker,
      request,
      price: fc.integer({ min: 1, max: 4 }),
      spread: fc.integer({ min: 1, max: 4 }),
      owner,
      expiresInMs: fc.option(fc.constantFrom(1, 5_000, 20_000)),
      firm: fc.boolean(),
    })
    .map(({ maker, request, price, spread, owner, expiresInMs, firm }) =>
      onRequest(
        `${maker} quotes${firm ? ' with its order' : ''}${owner === null ? '' : ` for the wallet of ${owner}`} 0.${price}${expiresInMs === null ? '' : ` for ${expiresInMs} ms`}`,
        request,
        (world, { requestId, side }) => {
          submit(
            world,
            maker,
            { requestId, side },
            {
              maker: walletOf(owner ?? maker),
              price,
              spread,
              expiresInMs,
              firm,
            },
          )
        },
      ),
    )

const quote = quoteFor(fc.option(fc.constant(POOR), { freq: 3 }))

function submit(
  world: World,
  makerId: MakerName,
  { requestId, side }: Pick<Requested, 'requestId' | 'side'>,
  {
    price,
    spread = 1,
    ...terms
  }: { maker: Address; price: number; spread?: number; expiresInMs: number | null; firm?: boolean },
): void {
  const ask = usd6(BigInt(price) * 100_000n)
  const prices =
    side === 'both'
      ? ({ side: 'buy', price: ask, otherPrice: usd6(ask - BigInt(spread) * 20_000n) } as const)
      : { side, price: ask }
  const submission = { ...terms, ...prices, size: contracts(200n) }
  asMaker(world, makerId, async () => {
    const quote = await world.relay.submitQuote({ makerId, requestId, submission })
    if ('order' in quote) world.trace.firmQuotes.push(quote)
    return quote
  })
}

/** Signs an order that came with a quote, by its maker or another one: the newest, or one that may be another by now. */
const firm = fc
  .record({ signer: fc.option(maker, { freq: 8, nil: null }), age: fc.constantFrom(0, 0, 0, 1, 2) })
  .map(({ signer, age }) =>
    step(
      `${age === 0 ? 'the newest quote' : `the quote ${age} before the newest`} is made firm${signer === null ? '' : `, signed by ${signer}`}`,
      (world) => {
        const quote = world.trace.firmQuotes.at(-1 - age)
        if (quote === undefined) return
        startFirm(world, quote, signer ?? ownerOf(quote.order.maker))
      },
    ),
  )

function startFirm(world: World, quote: FirmQuote, signer: MakerName): void {
  const { makerId, quoteId, order, otherOrder } = quote
  const sign = (own: Order) => {
    world.signatures += 1
    const signature = signatureOf(signer, world.signatures)
    world.trace.firmSignatures.set(signature, { ...quote, order: own })
    return signature
  }
  const signature = sign(order)
  const both = otherOrder === undefined ? {} : { otherSignature: sign(otherOrder) }
  asMaker(world, makerId as MakerName, () => world.relay.makeQuoteFirm({ makerId, quoteId, signature, ...both }))
}

const authorise = fc
  .record({ maker, isAuthorised: fc.boolean() })
  .map(({ maker, isAuthorised }) =>
    step(`${maker} ${isAuthorised ? 'may' : 'may not'} sign for the wallet of ${COLD}`, (world) =>
      world.authorise(maker, isAuthorised),
    ),
  )

const withdraw = fc.record({ maker, request }).map(({ maker, request }) =>
  onRequest(`${maker} withdraws`, request, (world, { requestId }) => {
    const quoteId = [...world.trace.quotes.values()].find(
      (q) => q.makerId === maker && q.requestId === requestId,
    )?.quoteId
    if (quoteId !== undefined) asMaker(world, maker, () => world.relay.withdrawQuote({ makerId: maker, quoteId }))
  }),
)

const commit = fc
  .record({
    request,
    taker: fc.nat(9).map((n) => (n === 0 ? 1 : 0)),
    limit: fc.option(fc.integer({ min: 1, max: 4 }), { freq: 3 }),
    firmOnly: fc.nat(4).map((n) => n === 0),
    isProven: fc.nat(3).map((n) => n > 0),
    side: fc.constantFrom('buy', 'sell'),
  })
  .map(({ request, taker, limit, firmOnly, isProven, side }) =>
    onRequest(
      `taker ${taker} commits, of both sides to a ${side}${isProven ? '' : ' without a proof'}${limit === null ? '' : ` up to 0.${limit}`}${firmOnly ? ' to a firm quote' : ''}`,
      request,
      (world, target) => {
        const wallet = TAKERS[taker] as Address
        const limitPrice = limit === null ? null : usd6(BigInt(limit) * 100_000n)
        const terms = { wallet, limitPrice, minContracts: null, expectedQuoteId: null, ...namedOn(target, side) }
        startCommit(world, target, firmOnly ? { ...terms, firmOnly } : terms, isProven)
      },
    ),
  )

/** The side that a commit names, where its request asks for both. */
const namedOn = ({ side: asked }: Requested, side: Side): { side?: Side } => (asked === 'both' ? { side } : {})

function startCommit(world: World, { requestId, takerSecret }: Requested, terms: CommitTerms, isProven = true): void {
  const { answered, refused } = world.collector.commit(requestId, terms)
  const { takenBack, handedOut } = world.trace
  const running = Symbol(requestId)
  world.commits.add(running)
  const committing = async () => {
    try {
      const proof = isProven ? await proofOf(world.relay, { ...terms, requestId }) : null
      const commitment = await world.relay.commit({ requestId, takerSecret, terms, proof })
      const { order } = commitment.execution.acceptance
      if (takenBack.has(nonceOf(order))) handedOut.push(nonceOf(order))
      world.trace.commits.push(commitment)
      answered(commitment)
    } catch (refusal) {
      refused(refusal)
      throw refusal
    } finally {
      world.commits.delete(running)
    }
  }
  world.start(committing())
}

const confirm = fc
  .record({ signer: fc.option(maker, { freq: 4, nil: null }), age: fc.constantFrom(0, 0, 0, 1, 2) })
  .map(({ signer, age }) =>
    step(
      `${age === 0 ? 'the newest order' : `the order ${age} before the newest`} is confirmed${signer === null ? '' : `, signed by ${signer}`}`,
      (world) => {
        const target = world.trace.accepted.at(-1 - age)
        if (target === undefined) return
        startConfirm(world, target, signer ?? ownerOf(target.order.maker))
      },
    ),
  )

function startConfirm(world: World, { requestId, makerId, quoteId, order }: Acceptance, signer: MakerName): void {
  world.signatures += 1
  const signature = signatureOf(signer, world.signatures)
  const { collector, trace } = world
  asMaker(world, makerId as MakerName, async () => {
    const sent = collector.moment()
    const confirm: ObservationOf<'confirm'> = {
      kind: 'confirm',
      requestId,
      makerId,
      quoteId,
      signature,
      sent,
      status: 0,
    }
    collector.observe(confirm)
    try {
      await world.relay.confirm({ makerId, quoteId, signature })
      Object.assign(confirm, { status: 200, answered: collector.moment() })
    } catch (refusal) {
      // Whatever it was refused for, nobody may find it.
      trace.refusedSignatures += 1
      confirm.status = 404
      // Of one that was looked at too late the answer does not say so.
      confirm.isWrong =
        (signer !== ownerOf(order.maker) && !trace.counted.has(signature)) ||
        (refusal instanceof RfqError && refusal.code === 'invalid_signature')
      throw refusal
    }
  })
}

/** Two makers name one wallet that can pay for one of two requests, both are committed, and what is asked is signed. */
const race = fc
  .record({
    makers: fc.shuffledSubarray([...MAKERS], { minLength: 2, maxLength: 2 }),
    answers: fc.tuple(...Array.from({ length: 3 }, () => fc.nat(150))),
  })
  .map(({ makers, answers: [quoted, asked, signed] }) =>
    step(`${makers.join(' and ')} race for the wallet of ${POOR}`, async (world) => {
      const targets = world.requests.slice(-2)
      targets.forEach((target, i) => {
        submit(world, makers[i] ?? POOR, target, { maker: walletOf(POOR), price: 1, expiresInMs: null })
      })
      await letGo(world, 100 + (quoted ?? 0))
      const terms = { wallet: TAKER, limitPrice: null, minContracts: null, expectedQuoteId: null }
      targets.forEach((target, i) => {
        startCommit(world, target, { ...terms, ...namedOn(target, i === 0 ? 'buy' : 'sell') }, false)
      })
      await letGo(world, asked ?? 0)
      for (const acceptance of world.trace.accepted.slice(-2))
        startConfirm(world, acceptance, ownerOf(acceptance.order.maker))
      await letGo(world, signed ?? 0)
    }),
  )

/** A maker makes a quote firm; something may come between, and a commit takes what is firm then. */
const deal = fc
  .record({
    maker,
    signer: fc.option(maker, { freq: 2, nil: null }),
    between: fc.constantFrom(
      'nothing',
      'nothing',
      'a quote',
      'a withdrawal',
      'a while',
      'a revocation',
      'a cancellation',
    ),
    answers: fc.tuple(...Array.from({ length: 4 }, () => fc.nat(100))),
  })
  .map(({ maker, signer, between, answers: [quoted, madeFirm, changed, committed] }) =>
    step(
      `${maker} makes its quote firm${signer === null ? '' : ` by the key of ${signer}`}, then comes ${between}, and a commit`,
      async (world) => {
        const target = world.requests.at(-1)
        if (target === undefined) return
        if (signer !== null) world.authorise(signer, true)
        const owner = signer === null ? maker : COLD
        const terms = { maker: walletOf(owner), price: 1, expiresInMs: 5_000, firm: true }
        submit(world, maker, target, terms)
        await letGo(world, 100 + (quoted ?? 0))
        const quote = world.trace.firmQuotes.at(-1)
        if (quote !== undefined && quote.makerId === maker) startFirm(world, quote, signer ?? maker)
        await letGo(world, 20 + (madeFirm ?? 0))
        if (between === 'a quote') submit(world, maker, target, { ...terms, firm: false })
        if (between === 'a revocation' && signer !== null) world.authorise(signer, false)
        if (between === 'a withdrawal') asMaker(world, maker, () => world.relay.withdrawQuotes({ makerId: maker }))
        // While no commit has judged the order already.
        if (between === 'a cancellation' && quote !== undefined && world.commits.size === 0) world.takeBack(quote.order)
        if (between === 'a while') await world.clock.advance(4_990)
        await letGo(world, changed ?? 0)
        startCommit(world, target, {
          ...namedOn(target, 'buy'),
          wallet: TAKER,
          limitPrice: null,
          minContracts: null,
          expectedQuoteId: null,
          firmOnly: true,
        })
        await letGo(world, committed ?? 0)
      },
    ),
  )

const WINDOW = { maxAccepted: null, maxContracts: null, maxNotional: null, maxCollateral: null }

const protect = fc
  .record({
    maker,
    maxAccepted: fc.option(fc.integer({ min: 1, max: 2 })),
    ms: fc.constantFrom(5_000, 20_000, 300_000),
    maxContracts: fc.option(fc.constantFrom(200n, 500n), { freq: 3 }),
    freezeMs: fc.option(fc.constantFrom(1, 5_000)),
    graceMs: fc.option(fc.constantFrom(0, 500, 5_000)),
    channels: fc.constantFrom('any' as const, 'all' as const),
  })
  .map(({ maker, maxAccepted, ms, maxContracts, freezeMs, graceMs, channels }) =>
    step(
      `${maker} is protected: ${maxAccepted} orders, ${maxContracts} options in ${ms} ms, away ${graceMs} ms`,
      (world) => {
        const bounds = { ms, maxAccepted, maxContracts: maxContracts === null ? null : contracts(maxContracts) }
        const windows = maxAccepted === null && maxContracts === null ? [] : [{ ...WINDOW, ...bounds }]
        const cancelOnDisconnect = graceMs === null ? null : { graceMs, channels }
        const protections = { cancelOnDisconnect, windows, freezeMs, maxQuoteSize: null, references: [] }
        asMaker(world, maker, () => world.relay.protections.put(maker, protections))
      },
    ),
  )

const reset = maker.map((maker) =>
  step(`${maker} resets its protections`, (world) => asMaker(world, maker, () => world.relay.protections.reset(maker))),
)

const withdrawAll = maker.map((maker) =>
  step(`${maker} withdraws everything`, (world) =>
    asMaker(world, maker, () => world.relay.withdrawQuotes({ makerId: maker })),
  ),
)

const decline = maker.map((maker) =>
  step(`${maker} declines`, (world) => {
    const target = world.trace.accepted.filter(({ makerId }) => makerId === maker).at(-1)
    if (target === undefined) return
    const { requestId, quoteId } = target
    asMaker(world, maker, async () => {
      const sent = world.collector.moment()
      const declined: ObservationOf<'declined'> = {
        kind: 'declined',
        requestId,
        makerId: maker,
        quoteId,
        sent,
        status: 0,
      }
      world.collector.observe(declined)
      try {
        await world.relay.decline({ makerId: maker, quoteId })
        declined.status = 200
      } catch (refusal) {
        declined.status = 404
        throw refusal
      }
    })
  }),
)

const reinstate = maker.map((maker) =>
  step(`${maker} is reinstated`, (world) =>
    world.start(world.relay.blocks.decide({ makerId: maker, isBlocked: false, by: 'operator', reason: '' })),
  ),
)

const cancel = request.map((request) =>
  onRequest('cancel', request, (world, target) => {
    const { answered } = world.collector.cancel(target.requestId)
    const cancelling = async () => {
      try {
        await world.relay.cancelRequest(target)
        answered(null)
      } catch (refusal) {
        answered(refusal)
        throw refusal
      }
      const found = await world.book.find(target.requestId)
      if (found?.status === 'open') world.trace.openAfterCancel.push(target.requestId)
    }
    world.start(cancelling())
  }),
)

const poll = request.map((request) =>
  onRequest('poll', request, (world, { requestId, takerSecret }) => {
    const { answered, refused } = world.collector.poll(requestId)
    const polling = async () => {
      try {
        const { status } = await world.relay.readRequest({ requestId, takerSecret })
        answered(status)
      } catch (refusal) {
        refused(refusal)
        throw refusal
      }
    }
    world.start(polling())
  }),
)

const socket = fc
  .record({ maker, connects: fc.boolean() })
  .map(({ maker, connects }) =>
    step(`${maker}'s socket ${connects ? 'connects' : 'drops'}`, (world) =>
      connects ? connectSocket(world, maker) : world.sockets.get(maker)?.stop(),
    ),
  )

const stream = fc
  .record({ maker, does: fc.constantFrom('drops', 'drops', 'connects', 'comes back with Last-Event-ID') })
  .map(({ maker, does }) =>
    step(`${maker}'s stream ${does}`, (world) =>
      does === 'drops'
        ? world.streams.get(maker)?.stop()
        : connectStream(world, maker, { resumes: does !== 'connects' }),
    ),
  )

const key = fc
  .record({ maker, revokes: fc.boolean() })
  .map(({ maker, revokes }) =>
    step(revokes ? `${maker}'s key is revoked` : `${maker} gets another key`, (world) =>
      revokes ? revokeKey(world, maker) : createKey(world, maker),
    ),
  )

const prepare = fc
  .record({ node: fc.constantFrom(0, 1), terms: fc.constantFrom(...EXPIRED), cents: fc.integer({ min: 1, max: 99 }) })
  .map(({ node, terms, cents }) =>
    step(`node ${node} attests the ${optionText(terms.option)}, while the source says 0.${cents}`, (world) => {
      world.source.cents = cents
      const prepared = (world.nodes[node] as Relay).prepareSettlement(seriesIdOf(seriesTermsOf(terms)))
      const attest = prepared.then(({ attestation }) => {
        const { seriesId, resolutionBps } = attestation
        world.trace.attested.push(attestation)
        world.collector.observe({ kind: 'series_resolved', seriesId, resolutionBps })
      })
      world.start(attest)
    }),
  )

const pass = (ms: number): Step => step(`${ms} ms pass`, (world) => world.clock.advance(ms))

const tick = fc.constantFrom(1, 500, 1_000, 4_999, 9_999, 10_000, 150_000).map(pass)

const kill = fc.constantFrom(1, 1, 5_000, 10_000, 300_000).map((downMs) =>
  step(`the relay is killed and comes back after ${downMs} ms`, async (world) => {
    await world.kill(downMs)
    for (const request of world.requests) watch(world, request)
    await world.drain()
  }),
)

const release = fc
  .constantFrom(1, 5, 20, 100)
  .map((count) => step(`${count} answers arrive`, (world) => letGo(world, count)))

async function letGo({ scheduler }: World, count: number): Promise<void> {
  await settle()
  for (let n = 0; n < count && scheduler.count() > 0; n += 1) {
    await scheduler.waitOne()
    // Nothing comes in between what follows an answer without another wait, as in a real process: all promises settle first.
    await new Promise<void>((resolve) => process.nextTick(resolve))
  }
  await settle()
}

/** Does something as a maker, whose key is looked at first. */
function asMaker(world: World, maker: MakerName, act: () => Promise<unknown>): void {
  const answered = authenticate(world, maker).then(act)
  const call = (world.calls.get(maker) ?? 0) + 1
  world.calls.set(maker, call)
  const way = `answer ${call}` as const
  const hear = (what: unknown): void => world.heard(maker, way, what)
  answered.then(hear, hear)
  world.start(answered)
}

/** Two requests; often two of a kind, for which what a wallet holds is raced. */
const openings = fc.oneof(
  { arbitrary: fc.tuple(open, open), weight: 2 },
  { arbitrary: open.map((one) => [one, one]), weight: 1 },
)

/** Runs of up to 60 steps on one to three requests; answers arrive and time passes as often as anybody acts. */
export const steps: fc.Arbitrary<Step[]> = fc
  .tuple(
    openings,
    fc.array(
      fc.oneof(
        { arbitrary: open, weight: 1 },
        { arbitrary: quote, weight: 6 },
        { arbitrary: firm, weight: 4 },
        { arbitrary: withdraw, weight: 1 },
        { arbitrary: withdrawAll, weight: 1 },
        { arbitrary: protect, weight: 2 },
        { arbitrary: reset, weight: 1 },
        { arbitrary: reinstate, weight: 1 },
        { arbitrary: commit, weight: 4 },
        { arbitrary: confirm, weight: 8 },
        { arbitrary: race, weight: 3 },
        { arbitrary: deal, weight: 3 },
        { arbitrary: decline, weight: 4 },
        { arbitrary: cancel, weight: 1 },
        { arbitrary: poll, weight: 4 },
        { arbitrary: socket, weight: 1 },
        { arbitrary: stream, weight: 2 },
        { arbitrary: key, weight: 1 },
        { arbitrary: authorise, weight: 2 },
        { arbitrary: prepare, weight: 2 },
        { arbitrary: tick, weight: 3 },
        { arbitrary: kill, weight: 1 },
        { arbitrary: release, weight: 10 },
      ),
      { minLength: 20, maxLength: 60, size: 'max' },
    ),
  )
  .map(([opened, rest]) => [...opened, ...rest])

/** Does the steps one after the other and checks after each what must always hold. */
export async function runSteps(world: World, run: readonly Step[]): Promise<void> {
  for (const step of run) {
    await step.run(world)
    await checkAlways(world)
  }
}

/** What makers do on one request for both sides, each for its own wallet, and time that passes: before a commit, and beside it. */
export const makerSteps: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: quoteFor(fc.constant(null)), weight: 10 },
  { arbitrary: withdraw, weight: 1 },
  { arbitrary: withdrawAll, weight: 1 },
  { arbitrary: protect, weight: 1 },
  { arbitrary: reset, weight: 1 },
  { arbitrary: socket, weight: 2 },
  { arbitrary: stream, weight: 2 },
  // A commit under way holds its request open beyond its time, which all see.
  { arbitrary: fc.constantFrom(1, 500, 2_500, 10_000).map(pass), weight: 3 },
)

/** A quote of each maker that lasts: most often another one is the best of each side. */
export const lastingQuotes: fc.Arbitrary<Step[]> = fc.tuple(
  ...MAKERS.map((maker) =>
    fc
      .record({ price: fc.integer({ min: 1, max: 4 }), spread: fc.integer({ min: 1, max: 4 }) })
      .map(({ price, spread }) =>
        onRequest(`${maker} quotes 0.${price}, and less by ${2 * spread} hundredths`, 0, (world, target) =>
          submit(world, maker, target, { maker: walletOf(maker), price, spread, expiresInMs: null }),
        ),
      ),
  ),
)

/** Answers that arrive in the order of the scheduler. */
export const releases = release

/** Opens a request for both sides, which may name the wallet of its taker. */
export async function openBoth(world: World, namesWallet: boolean): Promise<Requested> {
  const opening = world.relay.openRequest({ ...CALL_BOTH, wallet: namesWallet ? TAKER : null, locked: true })
  await world.drain()
  const { requestId, takerSecret } = await opening
  const opened = { requestId, takerSecret, side: 'both' } as const
  world.requests.push(opened)
  return opened
}

export const commitOn = (
  world: World,
  target: Requested,
  { side, isProven }: { side: Side; isProven: boolean },
): void => startCommit(world, target, { ...ANY, wallet: TAKER, side }, isProven)

const ANY = { limitPrice: null, minContracts: null, expectedQuoteId: null }

/** The maker that was asked last signs, or declines. */
export function answerAsked(world: World, answer: 'signs' | 'declines'): void {
  const asked = world.trace.accepted.at(-1)
  if (asked === undefined) return
  const { makerId, quoteId, order } = asked
  if (answer === 'signs') startConfirm(world, asked, ownerOf(order.maker))
  else asMaker(world, makerId as MakerName, () => world.relay.decline({ makerId, quoteId }))
}
