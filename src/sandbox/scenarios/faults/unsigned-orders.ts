import { MAKER_STYLES } from '@rfqctl/agents/bots/style'
import { type CommittedTrade, type MakerClient, RelayError, UNLIMITED, usd6 } from '@rfqctl/client/index'
import { commitmentJson } from '@rfqctl/client/to-json'
import { linkAbort } from '@rfqctl/lib/abort'
import { duration, priceText } from '@rfqctl/lib/format'
import { pickMakers } from '../traders.ts'
import { type FaultContext, type FaultScenario, refusalOf, scenarioFailed, withTimeout } from './fault.ts'
import { ask, awaitBest, firstQuote, type QuoteRace, raceQuotes, startFallback, winning } from './quote-race.ts'
import { clearMisses, makerClientOf, type ScenarioMaker, startScenarioMaker } from './scenario-maker.ts'

export const makerTimeout: FaultScenario = {
  summary: 'the best maker does not sign in time, and the next best does',
  run: async (context) => {
    const race = await raceQuotes(context, { style: MAKER_STYLES.silent, promise: 'will quote best and never sign' })
    await commitUnsigned(context, race)
  },
}

/** The winner signs after its deadline and is refused: a late signature is never used (decision C8). */
export const lateConfirm: FaultScenario = {
  summary: 'the best maker signs too late, and is refused with no_pending_acceptance',
  run: async (context) => {
    const race = await raceQuotes(context, {
      style: MAKER_STYLES.late,
      promise: 'will quote best and sign half a second late',
    })
    await commitUnsigned(context, race)
    await refused(context, race.faulty, 'no_pending_acceptance')
  },
}

/** The winner sends another key's signature; it may still send a right one until the deadline, but does not. */
export const badSignature: FaultScenario = {
  summary: 'the best maker signs with a wrong key, and is refused with invalid_signature',
  run: async (context) => {
    const race = await raceQuotes(context, {
      style: MAKER_STYLES['bad-signature'],
      promise: 'will quote best and sign with a wrong key',
    })
    await commitUnsigned(context, race, () => refused(context, race.faulty, 'invalid_signature'))
  },
}

export const makerDeclines: FaultScenario = {
  summary: 'the best maker declines, and the next best is asked at once',
  run: async (context) => {
    const race = await raceQuotes(context, { style: MAKER_STYLES.declining, promise: 'will quote best and decline' })
    await commitUnsigned(context, race, async () => {
      const { name, awaitEvent } = race.faulty
      const { reason } = await awaitEvent('declined', COMMIT_MS)
      context.reporter.event('declined', { maker: name, reason }, `${name} declines: ${reason}`)
    })
  },
}

/** Commits to a maker that does not sign, reports its time and what it `does` instead, and sees another one sign. */
async function commitUnsigned(context: FaultContext, race: QuoteRace, does?: () => Promise<void>): Promise<void> {
  const { name, awaitEvent } = race.faulty
  const asked = awaitEvent('asked', COMMIT_MS).then(({ acceptance: { deadline } }) => {
    const time = duration(Math.max(0, deadline - Date.now()))
    context.reporter.event('asked', { maker: name, deadline }, `${name} is asked to sign within ${time}`)
    return does?.()
  })
  await commitToFallback(context, race, asked)
}

/** Waits for a maker's refusal and reports it. Refuses with `scenario_failed` if the refusal is another one. */
export async function refused({ reporter }: FaultContext, { name, awaitEvent }: ScenarioMaker, code: string) {
  const { doing, error } = await awaitEvent('failed', COMMIT_MS)
  if (!(error instanceof RelayError) || error.code !== code) {
    throw scenarioFailed(`${name} was not refused with ${code}`, error)
  }
  reporter.event('refused', { maker: name, doing, code }, `${name} is refused: ${code} (${error.message})`)
}

/** Longer than a commit takes to ask all of its candidates by default, milliseconds. */
const COMMIT_MS = 60_000

/**
 * Commits without a price limit, so that the next best may sign at its own price, and checks that a maker other than
 * the winner of the race signed. `meanwhile` must have happened before that. Refuses with `scenario_failed` otherwise.
 */
export async function commitToFallback(
  context: FaultContext,
  { request, shown, faulty }: Omit<QuoteRace, 'faulty'> & { faulty: Pick<ScenarioMaker, 'name' | 'makerId'> },
  meanwhile: Promise<void> = Promise.resolve(),
): Promise<CommittedTrade> {
  const { taker, reporter, signal } = context
  const startedAt = Date.now()
  const sentence = `the taker commits; ${faulty.name} won, so it is asked first`
  reporter.event('committing', { requestId: request.requestId }, sentence)
  const committing = taker.commitToBestQuote({ request, shown, limitPrice: null, minContracts: null, signal })
  const signed = committing.then((commitment) => ({ commitment, tookMs: Date.now() - startedAt }))
  const [{ commitment, tookMs }] = await Promise.all([signed, meanwhile])
  context.keepCommitment(request, commitment)
  const { execution, quote } = commitment
  if (execution.makerId === faulty.makerId) {
    throw scenarioFailed(`${faulty.name} signed after all`)
  }
  reporter.event(
    'committed',
    { ...commitmentJson(commitment), passedOver: faulty.makerId, tookMs },
    `fallback: ${execution.makerId} signed ${quote.fillContracts} at ${priceText(quote.price)} instead, ${duration(tookMs)} after the commit`,
  )
  return commitment
}

const WAIT_MS = 10_000

/** The winner quoted over HTTP and has no socket: it gets a second to open one, and is passed over (decision C5). */
export const makerOffline: FaultScenario = {
  summary: 'the best maker has no socket open, and is passed over after a second',
  run: async (context) => {
    const { reporter, signal, isSimulated } = context
    const [wallet] = pickMakers(context.makers, 1)
    const { name } = wallet
    const client = makerClientOf(context, wallet)
    if (!isSimulated) await client.approveSpender({ spender: 'core', amount: UNLIMITED, signal })
    const request = await ask(context)
    if (request.makersConnected === 0) await startFallback(context, context.makers[1])
    const makerId = await nameOf(client, context)
    await clearMisses(context, makerId)
    reporter.event('cast', { maker: name, makerId }, `${name} will quote best over HTTP, and open no socket`)
    const best = await firstQuote(context, request)
    const price = usd6(best.price / 2n)
    await client.submitQuote({ request, price, size: best.size, signal })
    const sentence = `${best.makerId} was best at ${priceText(best.price)}, so ${name} quotes ${priceText(price)}`
    reporter.event('quoted', { maker: name }, sentence)
    const shown = await awaitBest(context, { request, makerId, quotes: 2 })
    await commitToFallback(context, { request, shown, faulty: { name, makerId } })
  },
}

/** The relay names a maker in the first event of its stream. */
const nameOf = (client: MakerClient, { signal }: FaultContext): Promise<string> =>
  withTimeout(WAIT_MS, { what: 'the relay to say who we are', signal }, async (limit) => {
    const stream = linkAbort(limit)
    try {
      for await (const event of client.watchQuoteRequests({ signal: stream.signal })) {
        if (event.kind === 'connected') return event.makerId
      }
      throw new Error('A stream of requests ended without an error.')
    } finally {
      stream.abort()
      stream.release()
    }
  })

/**
 * Every candidate of a commit misses its deadline. The taker's limit is the silent makers' price, so that honest makers
 * are no candidates: a missed confirmation never fills a taker worse than its limit (decision C1).
 */
export const allTimeout: FaultScenario = {
  summary: 'no maker within the price limit signs, and the commit ends with no_maker_confirmed',
  run: async (context) => {
    const { taker, reporter, signal } = context
    const [wallet] = pickMakers(context.makers, 1)
    const faulty = await startScenarioMaker(context, { wallet, style: winning(MAKER_STYLES.silent) })
    reporter.event('cast', { maker: faulty.name }, `${faulty.name} will quote below all others and never sign`)
    const request = await ask(context)
    const shown = await awaitBest(context, { request, makerId: faulty.makerId, quotes: 1, maker: faulty })
    const startedAt = Date.now()
    const limit = `the taker commits at ${priceText(shown.price)} or better, where only ${faulty.name} quotes`
    reporter.event('committing', { requestId: request.requestId }, limit)
    const committing = taker.commitToBestQuote({ request, limitPrice: shown.price, minContracts: null, signal })
    const answer = await refusalOf(committing, 'no_maker_confirmed')
    const tookMs = Date.now() - startedAt
    const { candidates } = answer.data
    const words = `no maker signed: ${answer.code} (${answer.status}) after ${duration(tookMs)}`
    reporter.event('refused', { code: answer.code, status: answer.status, candidates, tookMs }, words)
    const { status, quoteCount } = await taker.getBestQuote({ request, signal })
    reporter.event('still_open', { status, quoteCount }, `the request is still ${status}, and could be committed again`)
    await taker.cancelQuoteRequest({ request, signal })
    reporter.event('cancelled', { requestId: request.requestId }, 'the taker cancels')
  },
}
