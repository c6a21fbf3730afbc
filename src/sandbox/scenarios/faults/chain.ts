import { randomBytes } from 'node:crypto'
import { MAKER_STYLES } from '@rfqctl/agents/bots/style'
import { abiOf, createContractCalls } from '@rfqctl/client/contract-calls'
import { type CommittedTrade, computeSeriesId, type Hex, RelayError, type StrikeBps } from '@rfqctl/client/index'
import { createWallet, type Wallet } from '@rfqctl/client/wallet'
import { CliError } from '@rfqctl/lib/cli-error'
import { pause, systemClock } from '@rfqctl/lib/clock'
import { duration, priceText, when } from '@rfqctl/lib/format'
import { pauseAnvil } from '@rfqctl/onchain/devnet/anvil-record'
import { pickMakers } from '../traders.ts'
import { type FaultScenario, refusalOf, withTimeout } from './fault.ts'
import { ask, awaitBest, winning } from './quote-race.ts'
import { startScenarioMaker } from './scenario-maker.ts'

/** Longest time for the relay to find its chain again, milliseconds. */
const RECOVERY_MS = 30_000
const RETRY_MS = 500

/**
 * The chain stops answering between a quote and its commit, and comes back: the relay says so instead of trusting
 * former reads, and the same commit succeeds afterwards.
 */
export const rpcDown: FaultScenario = {
  summary: 'the chain stops answering, and the commit ends with chain_unavailable; then it answers again',
  needsChain: true,
  run: async (context) => {
    const { taker, reporter, signal, dataDir } = context
    const [wallet] = pickMakers(context.makers, 1)
    const maker = await startScenarioMaker(context, { wallet, style: winning(MAKER_STYLES.tight) })
    reporter.event('cast', { maker: maker.name }, `${maker.name} will quote best and would sign`)
    const request = await ask(context)
    const shown = await awaitBest(context, { request, makerId: maker.makerId, quotes: 1 })
    const commit = () => taker.commitToBestQuote({ request, shown, minContracts: null, signal })
    const resume = pauseAnvil(dataDir)
    if (resume === null) throw noChainOfOurs()
    reporter.event('chain_stopped', {}, 'the chain stops answering')
    const startedAt = Date.now()
    const answer = await refusalOf(commit(), 'chain_unavailable').finally(resume)
    const tookMs = Date.now() - startedAt
    const words = `the commit is refused: ${answer.code} (${answer.status}) after ${duration(tookMs)}`
    reporter.event('refused', { code: answer.code, status: answer.status, tookMs }, words)
    reporter.event('chain_goes_on', {}, 'the chain answers again')
    const commitment = await withTimeout(RECOVERY_MS, { what: 'the relay to find its chain again', signal }, (limit) =>
      untilChainAnswers(commit, limit),
    )
    context.keepCommitment(request, commitment)
    const { execution, quote } = commitment
    const sentence = `the same commit goes through: ${execution.makerId} signed ${quote.fillContracts} at ${priceText(quote.price)}`
    reporter.event('committed', { makerId: execution.makerId, requestId: request.requestId }, sentence)
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
    why: ['only a chain that serve or up started, with a data directory, can be'],
    hint: 'rfqctl up, without --memory and --rpc',
  })

/** Enough to register the series before it expires, in seconds of chain time. */
const LIFE_S = 4

/** Longest time for the chain to reach that, milliseconds. */
const EXPIRY_MS = 30_000
const POLL_INTERVAL_MS = 250

const STRIKE = 5_000 as StrikeBps

/** A series whose market has no price: at expiry the relay declines to sign, and a person must decide. */
export const noPriceData: FaultScenario = {
  summary: 'a series expires without a price, and waits for a decision with manual_review',
  needsChain: true,
  next: 'rfqctl settle review list',
  run: async (context) => {
    const { chain, taker, reporter, signal } = context
    const account = await context.openRegistrar()
    const wallet = createWallet({ account, setup: chain })
    const expiry = (await chainTime(wallet)) + LIFE_S
    const conditionId: Hex = `0x${randomBytes(32).toString('hex')}`
    const yesTokenId = BigInt(`0x${randomBytes(31).toString('hex')}`).toString()
    const terms = { conditionId, yesTokenId, strikeBps: STRIKE, expiry, optionType: 'call' } as const
    const seriesId = computeSeriesId(terms)
    const call = createContractCalls(chain).createSeries({ terms })
    const { to: address, functionName, args } = call
    await wallet.write({ address, abi: abiOf(call), functionName, args } as never, signal)
    await taker.getSeries({ seriesId, signal })
    const expiresIn = when(expiry * 1_000, (await chainTime(wallet)) * 1_000)
    const facts = { seriesId, conditionId, expiry }
    reporter.event('series_created', facts, `a series of a market without prices expires ${expiresIn}`)
    await withTimeout(EXPIRY_MS, { what: 'the chain to reach its expiry', signal }, async (limit) => {
      while ((await chainTime(wallet)) < expiry) await pause(POLL_INTERVAL_MS, { clock: systemClock, signal: limit })
    })
    const refusal = await refusalOf(taker.prepareSettlement({ seriesId, signal }), 'manual_review')
    const { code, status, message } = refusal
    reporter.event('refused', { code, status, seriesId }, `the relay declines to sign: ${code} (${message})`)
  },
}

const chainTime = async ({ publicClient }: Wallet): Promise<number> => Number((await publicClient.getBlock()).timestamp)
