import { MAKER_STYLES } from '../../bots/style.ts'
import { pause, systemClock } from '../../client/clock.ts'
import { type CommittedTrade, RelayError } from '../../client/index.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import { duration, priceText } from '../../lib/format.ts'
import { pauseAnvil } from '../../sandbox/chain/anvil-record.ts'
import { saveRequest } from '../context/saved-requests.ts'
import { dataDirOf } from '../context/targets.ts'
import { pickMakers } from '../maker/pick-makers.ts'
import { inTime } from './in-time.ts'
import { enter } from './player.ts'
import { ask, bestOf, winning } from './race.ts'
import { refusalOf, type Scenario } from './scenario.ts'

/** How long the relay may take to find its chain again, milliseconds. */
const RECOVERY_MS = 30_000
const RETRY_MS = 500

/**
 * The chain stops answering between a quote and its commit, and comes back: the relay says so instead of trusting what it
 * knew, and the same commit goes through afterwards.
 */
export const rpcDown: Scenario = {
  summary: 'the chain stops answering, and the commit ends with chain_unavailable; then it answers again',
  needsChain: true,
  run: async (stage) => {
    const { taker, narrator, signal, cli, options } = stage
    const [wallet] = pickMakers(stage.free, 1)
    const maker = await enter(stage, { wallet, style: winning(MAKER_STYLES.tight) })
    narrator.tell('cast', { maker: maker.name }, `${maker.name} will quote best and would sign`)
    const opened = await ask(stage)
    const { request, saved } = opened
    const shown = await bestOf(stage, { opened, makerId: maker.makerId, quotes: 1 })
    const commit = () => taker.commitToBestQuote({ request, shown, minContracts: null, signal })
    const resume = pauseAnvil(dataDirOf(cli, options))
    if (resume === null) throw noChainOfOurs()
    narrator.tell('chain_stopped', {}, 'the chain stops answering')
    const startedAt = Date.now()
    const answer = await refusalOf(commit(), 'chain_unavailable').finally(resume)
    const tookMs = Date.now() - startedAt
    const words = `the commit is refused: ${answer.code} (${answer.status}) after ${duration(tookMs)}`
    narrator.tell('refused', { code: answer.code, status: answer.status, tookMs }, words)
    narrator.tell('chain_goes_on', {}, 'the chain answers again')
    const commitment = await inTime(RECOVERY_MS, 'the relay to find its chain again', signal, (limit) =>
      untilChainAnswers(commit, limit),
    )
    saveRequest(dataDirOf(cli, options), { ...saved, commitment })
    const { execution, quote } = commitment
    const sentence = `the same commit goes through: ${execution.makerId} signed ${quote.fillContracts} at ${priceText(quote.price)}`
    narrator.tell('committed', { makerId: execution.makerId, requestId: request.requestId }, sentence)
  },
}

async function untilChainAnswers(commit: () => Promise<CommittedTrade>, signal: AbortSignal): Promise<CommittedTrade> {
  for (;;) {
    try {
      return await commit()
    } catch (error) {
      if (!(error instanceof RelayError) || error.code !== 'chain_unavailable') throw error
    }
    await pause(RETRY_MS, { clock: systemClock, signal })
  }
}

const noChainOfOurs = (): CliError =>
  new CliError('the chain of this sandbox cannot be stopped', {
    code: 'not_local',
    exitCode: EXIT.chain,
    why: ['only a chain that serve or up started, with a data directory, can be'],
    hint: 'rfqctl up, without --memory and --rpc',
  })
