import { MAKER_STYLES } from '../../bots/style.ts'
import { accountOf, newPrivateKey } from '../../client/from-text.ts'
import { pickMakers } from '../maker/pick-makers.ts'
import { refused } from './failing-makers.ts'
import { enter } from './player.ts'
import { ask, winning } from './race.ts'
import { type Scenario, scenarioFailed } from './scenario.ts'

/** A maker quotes with a wallet that has nothing: the relay reads its balance before it shows the quote to anyone. */
export const insolvent: Scenario = {
  summary: 'a maker quotes without funds, and is refused with maker_insufficient_balance',
  needsChain: true,
  run: async (stage) => {
    const { taker, narrator, signal } = stage
    const [wallet] = pickMakers(stage.free, 1)
    const account = accountOf(newPrivateKey())
    const poor = await enter(stage, { wallet, style: winning(MAKER_STYLES.insolvent), account })
    narrator.tell(
      'cast',
      { maker: poor.name, wallet: account.address },
      `${poor.name} will quote best from an empty wallet`,
    )
    const { request } = await ask(stage)
    await refused(stage, poor, 'maker_insufficient_balance')
    const { bestQuote } = await taker.getBestQuote({ request, signal })
    if (bestQuote?.makerId === poor.makerId) throw scenarioFailed('the taker was shown the quote')
    narrator.tell('unseen', { bestQuoteBy: bestQuote?.makerId ?? null }, 'the taker never sees its quote')
    await taker.cancelQuoteRequest({ request, signal })
    narrator.tell('cancelled', { requestId: request.requestId }, 'the taker cancels: there is nothing to trade')
  },
}
