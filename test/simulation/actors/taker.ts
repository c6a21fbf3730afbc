import type { CommitTerms } from '../../../src/protocol/domain/commit.ts'
import { commitDigest } from '../../../src/protocol/domain/commit-proof.ts'
import { orderDomain } from '../../../src/protocol/domain/order.ts'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import type { Commitment } from '../../../src/relay/core/relay.ts'
import type { ObservationOf } from '../../invariants/observation.ts'
import type { Action } from '../plan/plan.ts'
import { createRandom, type Random } from '../time/random.ts'
import type { Answer } from '../venue/clients.ts'
import { signatureOf, takerWallet } from '../venue/identities.ts'
import { orderSeen } from '../venue/recorder.ts'
import { TERMS } from '../venue/terms.ts'
import type { Venue } from '../venue/venue.ts'

type Opened = { requestId: string; takerSecret: string }

const TICK = 10_000n
const MOST_RETRIES = 4

/** A taker that opens one request, looks at it, commits or cancels, and fills its order. */
export function createTaker(venue: Venue, seed: number) {
  const { clients, recorder, timeline } = venue
  const { observe, moment, tell } = recorder
  let attempts = 0
  let watches = 0

  async function open(action: Extract<Action, { do: 'open' }>): Promise<void> {
    const { id, taker, asks, namesWallet, inventory } = action
    const draws = createRandom(`${seed} request ${id}`)
    const wallet = namesWallet ? takerWallet(taker) : null
    const terms = TERMS[asks]
    const isBoth = terms.trade.side === 'both'
    const market = { ...terms.market, question: venue.questionOf(id) }
    const from = inventory ? ({ inventory: true } as const) : {}
    const answer = await clients.call(venue.anyNode(draws), (relay) =>
      // The relay locks each request for both sides.
      relay.openRequest({ ...terms, ...from, market, wallet, locked: isBoth, clientAddress: `taker ${taker}` }),
    )
    if (!('value' in answer)) return
    const opened = answer.value
    const { requestId } = opened
    venue.acknowledged.add(requestId)
    if (action.commits !== undefined) return commitOnly(opened, action)
    if (draws.chance(0.4)) clients.later(draws.between(0, 500), () => void watch(opened, draws))
    const looks = draws.below(5)
    for (let look = 0; look < looks; look += 1)
      clients.later(draws.between(100, 40_000), () => void poll(opened, draws))
    if (draws.chance(0.08)) clients.later(draws.between(500, 30_000), () => void cancel(opened, draws))
    if (!draws.chance(0.85)) return
    const side = draws.pick(['buy', 'sell'] as const)
    const commit: CommitTerms = {
      ...(isBoth ? { side } : {}),
      wallet: wallet ?? takerWallet(draws.chance(0.9) ? taker : (taker + 1) % 6),
      limitPrice: draws.chance(0.3) ? usd6(BigInt(10 + draws.below(6)) * TICK) : null,
      minContracts: null,
      expectedQuoteId: null,
      ...(draws.chance(0.2) ? { firmOnly: true } : {}),
    }
    const isProven = draws.chance(0.6)
    const begins = draws.chance(0.15) ? draws.between(35_000, 46_000) : draws.between(800, 20_000)
    clients.later(begins, () => void takeIt(opened, commit, { isProven, draws, retries: 0 }))
    if (draws.chance(0.25)) {
      const other = isBoth ? { side: side === 'buy' ? ('sell' as const) : ('buy' as const) } : {}
      const again = draws.chance(0.7) ? commit : { ...commit, ...other, limitPrice: usd6(20n * TICK) }
      clients.later(
        begins + draws.between(-300, 3_000),
        () => void takeIt(opened, again, { isProven, draws: draws.fork('again'), retries: 0 }),
      )
    }
  }

  /** Commits on the side that the action says, and does nothing else. */
  function commitOnly(opened: Opened, { id, taker, commits }: Extract<Action, { do: 'open' }>): void {
    if (commits == null) return
    const draws = createRandom(`${seed} commit ${id}`)
    const { afterMs, side } = commits
    const terms = { wallet: takerWallet(taker), side, limitPrice: null, minContracts: null, expectedQuoteId: null }
    const isProven = draws.chance(0.5)
    clients.later(afterMs, () => void takeIt(opened, terms, { isProven, draws, retries: MOST_RETRIES }))
  }

  async function watch({ requestId, takerSecret }: Opened, draws: Random): Promise<void> {
    const node = venue.anyNode(draws)
    watches += 1
    const stream = `stream ${watches} of the taker of ${requestId}`
    const way = { lastAt: 0 }
    const hear = (status: string): void => {
      const event = status === 'open' ? 'best_quote' : 'closed'
      clients.push(way, () => observe({ kind: 'taker_event', stream, event, requestId, moment: moment() }))
    }
    const answer = await clients.call(node, async (relay) => {
      // It may end before the call that watches it returns.
      let isOver = false
      let stop = (): void => {}
      const watching = await relay.watchRequest({
        requestId,
        takerSecret,
        onChange: ({ status }) => {
          hear(status)
          isOver ||= status !== 'open'
          if (isOver) stop()
        },
      })
      stop = watching.stop
      if (isOver) stop()
      hear(watching.top.status)
      return watching.top
    })
    if (answer.status !== 200) tell('its taker cannot watch it', requestId)
  }

  async function poll({ requestId, takerSecret }: Opened, draws: Random): Promise<void> {
    const asked = moment()
    const answer = await clients.call(venue.anyNode(draws), (relay) => relay.readRequest({ requestId, takerSecret }))
    const answered = moment()
    if (!('value' in answer)) return
    const { status, best, bestBid, quoteCount } = answer.value
    observe({ kind: 'polled', requestId, asked, answered, status })
    if (status !== 'open') return
    const shown = { kind: 'quote_shown', requestId, by: 'poll', asked, answered, quoteCount } as const
    observe({ ...shown, quoteId: best?.quoteId ?? null })
    if (bestBid !== undefined) observe({ ...shown, side: 'sell', quoteId: bestBid?.quoteId ?? null })
    tell(
      best === null ? 'its taker is shown no quote' : `its taker is shown ${best.makerId} at ${best.price}`,
      requestId,
    )
  }

  async function cancel(opened: Opened, draws: Random): Promise<void> {
    const { requestId } = opened
    const cancel: ObservationOf<'cancel'> = {
      kind: 'cancel',
      requestId,
      sent: moment(),
      answered: null,
      status: 0,
    }
    observe(cancel)
    tell('its taker cancels it', requestId)
    const answer = await clients.call(venue.anyNode(draws), (relay) => relay.cancelRequest(opened))
    noteAnswer(cancel, answer)
    tell(`the cancel is answered ${'code' in answer ? (answer.code ?? 'by nothing') : 'by its end'}`, requestId)
    if (answer.status === 200) await lookAgain(opened, 'the cancel', draws)
  }

  function proofOf(requestId: string, terms: CommitTerms): `0x${string}` {
    const { chainId, settlementAddress } = venue.chain.environment
    attempts += 1
    return signatureOf(
      terms.wallet,
      commitDigest({ ...terms, requestId }, orderDomain(chainId, settlementAddress)),
      attempts,
    )
  }

  async function takeIt(
    opened: Opened,
    terms: CommitTerms,
    run: { isProven: boolean; draws: Random; retries: number },
  ): Promise<void> {
    const { isProven, draws, retries } = run
    const { requestId, takerSecret } = opened
    const commit: ObservationOf<'commit'> = {
      kind: 'commit',
      requestId,
      wallet: terms.wallet,
      ...(terms.side === undefined ? {} : { side: terms.side }),
      limitPrice: terms.limitPrice,
      sent: moment(),
      answered: null,
      status: 0,
      executionId: null,
      quoteId: null,
      revealed: null,
      isFirmOnly: terms.firmOnly === true,
    }
    observe(commit)
    const proof = isProven ? proofOf(requestId, terms) : null
    const node = venue.anyNode(draws)
    tell(`its taker commits on ${node.name}`, requestId)
    const answer = await clients.call(node, (relay) => relay.commit({ requestId, takerSecret, terms, proof }))
    noteAnswer(commit, answer)
    if ('value' in answer) {
      noteRevealed(commit, answer.value)
      tell(`the commit is answered with the order of ${answer.value.execution.acceptance.makerId}`, requestId)
      return afterTrade(answer.value, terms, { opened, isProven, draws })
    }
    const code = answer.code
    tell(`the commit is answered ${code ?? 'by nothing'}`, requestId)
    const isWorthIt = answer.status === 0 || answer.status >= 500 || code === 'commit_in_progress'
    if (retries >= MOST_RETRIES || !(isWorthIt || (code === 'no_maker_confirmed' && draws.chance(0.5)))) return
    clients.later(draws.between(200, 3_000), () => void takeIt(opened, terms, { ...run, retries: retries + 1 }))
  }

  function noteAnswer(call: ObservationOf<'commit' | 'cancel'>, answer: Answer<unknown>): void {
    const { status } = answer
    // A database that was restored meanwhile knows nothing of it.
    if (recorder.isForgotten(call.requestId)) return
    const code = 'code' in answer && answer.code !== null ? { code: answer.code } : {}
    Object.assign(call, { status, answered: status === 0 ? null : moment(), ...code })
  }

  function noteRevealed(commit: ObservationOf<'commit'>, { execution }: Commitment): void {
    const { executionId, acceptance, signature, executedAt } = execution
    commit.executionId = executionId
    commit.quoteId = acceptance.quoteId
    commit.isFirm = acceptance.quote.isFirm === true
    commit.revealed = { order: orderSeen(acceptance.order), domain: acceptance.domain, signature, at: executedAt }
  }

  function afterTrade(
    commitment: Commitment,
    terms: CommitTerms,
    { opened, isProven, draws }: { opened: Opened; isProven: boolean; draws: Random },
  ): void {
    const { takerSecret } = opened
    const { order, requestId } = commitment.execution.acceptance
    if (draws.chance(0.7)) clients.later(draws.between(500, 25_000), () => venue.fill(order))
    if (draws.chance(0.3)) clients.later(draws.between(50, 20_000), () => void lookAgain(opened, 'the commit', draws))
    if (!draws.chance(0.3)) return
    const promised = textOf(commitment)
    const commitAgain = async (): Promise<void> => {
      if (recorder.isForgotten(requestId)) return
      const proof = isProven ? proofOf(requestId, terms) : null
      const answer = await clients.call(venue.anyNode(draws), (relay) =>
        relay.commit({ requestId, takerSecret, terms, proof }),
      )
      // Orders end by the time of the chain, which a clock that was set back does not change.
      const isSpent = Math.max(venue.sharedTime(), timeline.now()) >= order.validUntil * 1_000 - 1_000
      if (isSpent || answer.status === 0 || answer.status >= 500 || recorder.isForgotten(requestId)) return
      if (answer.status === 409 && !('value' in answer) && answer.code === 'commit_in_progress') return
      const kept = 'value' in answer ? textOf(answer.value) : String(answer.code)
      observe({ kind: 'promise_reread', what: `the commit of ${requestId}`, promised, kept })
    }
    clients.later(draws.between(50, 20_000), () => void commitAgain())
  }

  /** What was answered as over is over wherever it is looked at. */
  async function lookAgain({ requestId, takerSecret }: Opened, what: string, draws: Random): Promise<void> {
    if (recorder.isForgotten(requestId)) return
    const answer = await clients.call(venue.anyNode(draws), (relay) => relay.readRequest({ requestId, takerSecret }))
    if (!('value' in answer) || recorder.isForgotten(requestId)) return
    const kept = answer.value.status === 'open' ? 'open' : 'over'
    observe({ kind: 'promise_reread', what: `${what} of ${requestId}`, promised: 'over', kept })
  }

  return { open: (action: Extract<Action, { do: 'open' }>): void => void open(action), timeline }
}

const textOf = ({ execution: { executionId, signature } }: Commitment): string => `${executionId} ${signature}`
