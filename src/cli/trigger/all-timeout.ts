import { MAKER_STYLES } from '../../bots/style.ts'
import { duration, priceText } from '../../lib/format.ts'
import { pickMakers } from '../maker/pick-makers.ts'
import { enter } from './player.ts'
import { ask, bestOf, winning } from './race.ts'
import { refusalOf, type Scenario } from './scenario.ts'

/**
 * Every candidate of a commit misses its deadline. The taker's limit is the silent makers' price, so that honest makers
 * are no candidates: a missed confirmation never fills a taker worse than its limit (decision C1).
 */
export const allTimeout: Scenario = {
  summary: 'no maker within the price limit signs, and the commit ends with no_maker_confirmed',
  run: async (stage) => {
    const { taker, narrator, signal } = stage
    const [wallet] = pickMakers(stage.free, 1)
    const villain = await enter(stage, { wallet, style: winning(MAKER_STYLES.silent) })
    narrator.tell('cast', { maker: villain.name }, `${villain.name} will quote below all others and never sign`)
    const opened = await ask(stage)
    const { request } = opened
    const shown = await bestOf(stage, { opened, makerId: villain.makerId, quotes: 1 })
    const startedAt = Date.now()
    const limit = `the taker commits at ${priceText(shown.price)} or better, where only ${villain.name} quotes`
    narrator.tell('committing', { requestId: request.requestId }, limit)
    const committing = taker.commitToBestQuote({ request, limitPrice: shown.price, minContracts: null, signal })
    const answer = await refusalOf(committing, 'no_maker_confirmed')
    const tookMs = Date.now() - startedAt
    const words = `no maker signed: ${answer.code} (${answer.status}) after ${duration(tookMs)}`
    narrator.tell('refused', { code: answer.code, status: answer.status, tookMs }, words)
    const { status, quoteCount } = await taker.getBestQuote({ request, signal })
    narrator.tell('still_open', { status, quoteCount }, `the request is still ${status}, and could be committed again`)
    await taker.cancelQuoteRequest({ request, signal })
    narrator.tell('cancelled', { requestId: request.requestId }, 'the taker cancels')
  },
}
