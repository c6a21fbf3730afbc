import { MAKER_STYLES, type MakerStyle } from '@rfqctl/agents/bots/style'
import type { ShownQuote, TakerRequest } from '@rfqctl/client/index'
import { quoteJson, requestJson } from '@rfqctl/client/to-json'
import { linkAbort } from '@rfqctl/lib/abort'
import { CliError } from '@rfqctl/lib/cli-error'
import { plural, priceText, usd } from '@rfqctl/lib/format'
import { usd6ToNumber } from '@rfqctl/protocol/domain/decimal'
import { maxPayoff } from '@rfqctl/protocol/domain/option'
import { usd6 } from '@rfqctl/protocol/domain/units'
import type { SandboxWallet } from '@rfqctl/relay/app/sandbox-file'
import { fixtureSpot, pickMakers, tightValue } from '../traders.ts'
import { type FaultContext, type OpenSeries, withTimeout } from './fault.ts'
import { type ScenarioMaker, startScenarioMaker } from './scenario-maker.ts'

export type QuoteRace = { request: TakerRequest; shown: ShownQuote; faulty: ScenarioMaker }

const BUDGET = usd6(100_000_000n)

/** A series must outlive its scenario. */
const LEAST_LIFE_MS = 180_000

const RACE_MS = 10_000

/** A style that wins: it quotes at once, once, and for less than the option is worth. */
export const winning = (style: MakerStyle): MakerStyle => ({
  ...style,
  halfSpread: -0.03,
  opinion: 0,
  latencyMs: { min: 0, max: 0 },
  improvements: 0,
  refreshMs: null,
})

/** Opens a request on the series that leaves quotes the most room, and keeps it for the taker's commands. */
export async function ask(context: FaultContext): Promise<TakerRequest> {
  const series = await roomiest(context)
  const request = await context.openRequest(series.seriesId, { side: 'buy', budget: BUDGET })
  const sentence = `a taker asks to buy for ${usd(BUDGET)}: ${series.text}`
  context.reporter.event('requested', requestJson(request), sentence)
  return request
}

/** Has a faulty maker win a request. If no one else is connected, an honest maker joins to fall back to. */
export async function raceQuotes(
  context: FaultContext,
  { style, promise }: { style: MakerStyle; promise: string },
): Promise<QuoteRace> {
  const [wallet] = pickMakers(context.makers, 1)
  const faulty = await startScenarioMaker(context, { wallet, style: winning(style) })
  context.reporter.event('cast', { maker: faulty.name, makerId: faulty.makerId }, `${faulty.name} ${promise}`)
  const request = await ask(context)
  if (request.makersConnected < 2) await startFallback(context, context.makers[1])
  const shown = await awaitBest(context, { request, makerId: faulty.makerId, quotes: 2, maker: faulty })
  return { request, shown, faulty }
}

/** Starts an honest maker. Refuses if none is left. */
export async function startFallback(context: FaultContext, wallet: SandboxWallet | undefined): Promise<void> {
  if (wallet === undefined) {
    throw new CliError('there is no maker to fall back to', {
      code: 'too_few_makers',
      why: ['only one maker is connected, and no other is free'],
      hint: 'rfqctl maker simulate --count 2',
    })
  }
  const { name, makerId } = await startScenarioMaker(context, { wallet, style: MAKER_STYLES.tight })
  const facts = { maker: name, makerId }
  context.reporter.event('cast', facts, `no other maker is connected, so ${name} joins as an honest maker`)
}

/**
 * Waits until the best of so many quotes is a maker's. If the quote of `maker`, which runs in this process, is refused,
 * it fails with that refusal; on timeout the failure names what the taker was shown.
 */
export async function awaitBest(
  { taker, reporter, signal }: FaultContext,
  input: { request: TakerRequest; makerId: string; quotes: number; maker?: ScenarioMaker },
): Promise<ShownQuote> {
  const { request, makerId, quotes, maker } = input
  let seen = 'no quote came'
  return withTimeout(
    RACE_MS,
    { what: `the best of ${plural(quotes, 'quote')} to be that of ${makerId}`, signal, why: () => [seen] },
    async (limit) => {
      const race = linkAbort(limit)
      const refused = maker === undefined ? [] : [maker.rejectWhenRefused(request.requestId, race.signal)]
      const winning = async () => {
        for await (const { bestQuote, quoteCount } of taker.watchBestQuote({ request, signal: race.signal })) {
          if (bestQuote === null) continue
          const sentence = `best of ${plural(quoteCount, 'quote')} is ${priceText(bestQuote.price)} by ${bestQuote.makerId}`
          seen = `the ${sentence}`
          if (bestQuote.makerId !== makerId || quoteCount < quotes) continue
          reporter.event('best', { ...quoteJson(bestQuote), quoteCount }, sentence)
          return bestQuote
        }
        throw closed()
      }
      try {
        return await Promise.race([winning(), ...refused])
      } finally {
        race.abort()
        race.release()
      }
    },
  )
}

export async function firstQuote({ taker, signal }: FaultContext, request: TakerRequest): Promise<ShownQuote> {
  return withTimeout(RACE_MS, { what: 'a first quote', signal }, async (limit) => {
    for await (const { bestQuote } of taker.watchBestQuote({ request, signal: limit }))
      if (bestQuote !== null) return bestQuote
    throw closed()
  })
}

const closed = (): CliError =>
  new CliError('the request closed before the race was over', { code: 'request_closed', hint: 'try again' })

/** The open series whose value is farthest from nothing and from the max payoff: quotes fit on both sides of it. */
async function roomiest({ listOpenSeries }: FaultContext): Promise<OpenSeries> {
  const { rows, now } = await listOpenSeries()
  const spot = fixtureSpot()
  const rooms = await Promise.all(
    rows
      .filter(({ expiry }) => expiry * 1_000 > now + LEAST_LIFE_MS)
      .map(async (row) => ({ row, room: await roomOf(row, { now, spot }) })),
  )
  const [best] = rooms.filter(({ room }) => room > 0).sort((a, b) => b.room - a.room)
  if (best !== undefined) return best.row
  throw new CliError('no series can be quoted for another three minutes', {
    code: 'series_not_found',
    hint: 'rfqctl series create @1 --type call --strike-bps 4500 --expires-in 2h',
  })
}

async function roomOf(
  series: OpenSeries,
  { now, spot }: { now: number; spot: ReturnType<typeof fixtureSpot> },
): Promise<number> {
  const price = await spot(series.yesTokenId, now).catch(() => null)
  if (price === null) return 0
  const value = tightValue(series, { spot: price, nowMs: now })
  return Math.min(value, usd6ToNumber(maxPayoff(series)) - value)
}
