import { MAKER_STYLES } from '@rfqctl/agents/bots/style'
import { accountOf, newPrivateKey } from '@rfqctl/client/from-text'
import { pickMakers } from '../traders.ts'
import { type FaultScenario, scenarioFailed } from './fault.ts'
import { ask, raceQuotes, winning } from './quote-race.ts'
import { makerClientOf, startScenarioMaker } from './scenario-maker.ts'
import { commitToFallback, refused } from './unsigned-orders.ts'

/** A maker quotes with an empty wallet: the relay reads its balance before it shows the quote to anyone. */
export const insolvent: FaultScenario = {
  summary: 'a maker quotes without funds, and is refused with maker_insufficient_balance',
  needsChain: true,
  run: async (context) => {
    const { taker, reporter, signal } = context
    const [wallet] = pickMakers(context.makers, 1)
    const account = accountOf(newPrivateKey())
    const poor = await startScenarioMaker(context, { wallet, style: winning(MAKER_STYLES.insolvent), account })
    const sentence = `${poor.name} will quote best from an empty wallet`
    reporter.event('cast', { maker: poor.name, wallet: account.address }, sentence)
    const request = await ask(context)
    await refused(context, poor, 'maker_insufficient_balance')
    const { bestQuote } = await taker.getBestQuote({ request, signal })
    if (bestQuote?.makerId === poor.makerId) throw scenarioFailed('the taker was shown the quote')
    reporter.event('unseen', { bestQuoteBy: bestQuote?.makerId ?? null }, 'the taker never sees its quote')
    await taker.cancelQuoteRequest({ request, signal })
    reporter.event('cancelled', { requestId: request.requestId }, 'the taker cancels: there is nothing to trade')
  },
}

/** The winner can no longer pay when the taker commits: the relay reads the chain again, past every cache (decision C4). */
export const insolventAtCommit: FaultScenario = {
  summary: 'the best maker revokes its approval before the commit, and is passed over',
  needsChain: true,
  run: async (context) => {
    const { reporter, signal } = context
    const race = await raceQuotes(context, {
      style: MAKER_STYLES.tight,
      promise: 'will quote best and then revoke its approval',
    })
    const { faulty } = race
    await makerClientOf(context, faulty.wallet).revokeApproval({ spender: 'core', signal })
    reporter.event('revoked', { maker: faulty.name }, `${faulty.name} revokes its approval of the core contract`)
    await commitToFallback(context, race)
  },
}
