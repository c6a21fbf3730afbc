import { MAKER_STYLES } from '@rfqctl/agents/bots/style'
import { accountOf } from '@rfqctl/client/from-text'
import { type CommittedTrade, ContractRefusedError, type Defunding, type MakerClient, usd6 } from '@rfqctl/client/index'
import { createOperatorClient } from '@rfqctl/client/operator'
import { createWallet, type Wallet } from '@rfqctl/client/wallet'
import { linkAbort } from '@rfqctl/lib/abort'
import { exactUsd, priceText, usd } from '@rfqctl/lib/format'
import { testUsdAbi } from '@rfqctl/protocol/contracts/abi'
import { usd6ToNumber } from '@rfqctl/protocol/domain/decimal'
import { pickMakers } from '../traders.ts'
import { type FaultContext, type FaultScenario, scenarioFailed, withTimeout } from './fault.ts'
import { ask, awaitBest, winning } from './quote-race.ts'
import { makerClientOf, startScenarioMaker } from './scenario-maker.ts'

/** Longest wait until the block of the transfer is final and read, milliseconds. */
const FINAL_MS = 60_000

const CONNECT_MS = 10_000

/** A maker signs and moves its money away: its order cannot be filled, and the relay notifies it (protocol order-5). */
export const makerDefunds: FaultScenario = {
  summary: 'a maker signs an order and moves its money away: the order cannot be filled, and the maker hears of it',
  needsChain: true,
  next: 'rfqctl audit',
  run: async (context) => {
    const { chain, taker, reporter, signal } = context
    const [own, other] = pickMakers(context.makers, 2).map(({ privateKey }) =>
      createWallet({ account: accountOf(privateKey), setup: chain }),
    ) as [Wallet, Wallet]
    const [wallet] = pickMakers(context.makers, 1)
    const maker = await startScenarioMaker(context, { wallet, style: winning(MAKER_STYLES.tight) })
    const { name, makerId } = maker
    reporter.event('cast', { maker: name, makerId }, `${name} will quote best, sign, and move its money away`)
    const client = makerClientOf(context, wallet)
    const defunding = await hearDefunding(context, client)
    const request = await ask(context)
    const shown = await awaitBest(context, { request, makerId, quotes: 1 })
    const commitment = await taker.commitToBestQuote({ request, shown, minContracts: null, signal })
    context.keepCommitment(request, commitment)
    const { execution, quote } = commitment
    if (execution.makerId !== makerId) throw scenarioFailed(`${execution.makerId} signed, not ${name}`)
    const { quoteId } = quote
    const signed = `${name} signs ${quote.fillContracts} at ${priceText(quote.price)}`
    reporter.event('committed', { maker: name, requestId: request.requestId, quoteId }, signed)
    const amount = await own.balance()
    // After the transfer, no interruption of the scenario may skip giving the money back.
    signal.throwIfAborted()
    await transfer(own, other.address, amount)
    try {
      reporter.event('moved', { maker: name, amount: usd6ToNumber(amount) }, `${name} moves its ${usd(amount)} away`)
      await refuseFill(context, commitment)
      const what = `${name} to hear that its order is defunded`
      const { code, blockNumber } = await withTimeout(FINAL_MS, { what, signal }, () => defunding(quoteId))
      const sentence = `${name} hears of it: ${code}, read in block ${blockNumber}`
      reporter.event('told', { maker: name, code, blockNumber }, sentence)
      await readRecords(context, client, { requestId: request.requestId, quoteId })
    } finally {
      // Even if the scenario is interrupted: the money is its owner's.
      await transfer(other, own.address, amount)
      reporter.event('restored', { maker: name, amount: usd6ToNumber(amount) }, `${name} has its ${usd(amount)} back`)
    }
  },
}

async function hearDefunding(
  context: FaultContext,
  client: MakerClient,
): Promise<(quoteId: string) => Promise<Defunding>> {
  const life = linkAbort(context.signal)
  const messages = client.watchOrders({ signal: life.signal })
  await withTimeout(CONNECT_MS, { what: 'a socket of the maker', signal: context.signal }, () => messages.next())
  return async (quoteId) => {
    try {
      for await (const message of messages) {
        if (message.kind === 'order_defunded' && message.quoteId === quoteId) return message.defunding
      }
      throw new Error('A socket ended without an error.')
    } finally {
      life.abort()
      life.release()
    }
  }
}

async function transfer(from: Wallet, to: Wallet['address'], amount: bigint): Promise<void> {
  const call = { address: await from.stablecoin(), abi: testUsdAbi, functionName: 'transfer' } as const
  await from.write({ ...call, args: [to, amount] })
}

/** The taker's client asks the contract before it sends anything, and learns who lacks how much. */
async function refuseFill({ taker, reporter, signal }: FaultContext, commitment: CommittedTrade): Promise<void> {
  const fault = await taker.fillOrder({ commitment, signal }).then(
    () => null,
    (error: unknown) => error,
  )
  if (!(fault instanceof ContractRefusedError) || fault.errorName !== 'MakerBalanceLow') {
    throw scenarioFailed('the fill was not refused because of its maker', fault)
  }
  const lacks = usd6(fault.values.find(({ name }) => name === 'shortfall')?.value as bigint)
  const facts = { code: fault.errorName, maker: commitment.execution.makerId, shortfall: usd6ToNumber(lacks) }
  reporter.event('refused', facts, `the fill is not sent: ${fault.message} It lacks ${exactUsd(lacks)}`)
}

async function readRecords(
  { url, operatorToken: token, reporter, signal }: FaultContext,
  client: MakerClient,
  { requestId, quoteId }: { requestId: string; quoteId: string },
): Promise<void> {
  const { outcomes } = await client.listQuoteOutcomes({ since: Date.now() - FINAL_MS * 2, signal })
  const outcome = outcomes.find((one) => one.quoteId === quoteId)
  if (outcome?.status !== 'confirmed' || outcome.defunding === null) throw scenarioFailed('its history does not say so')
  reporter.event('kept', { requestId, defunded: outcome.defunding }, 'its history says so, too')
  if (token === null) return
  const entries = await createOperatorClient({ url, token }).getAuditLog({ requestId, signal })
  if (!entries.some(({ kind }) => kind === 'order_defunded')) throw scenarioFailed('the audit log does not say so')
  reporter.event('audited', { requestId }, 'and so does the audit log')
}
