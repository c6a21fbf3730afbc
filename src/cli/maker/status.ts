import { type MakerClient, type Usd6, usd6ToNumber } from '@rfqctl/client/index'
import { duration, exactUsd, plural, priceText, shortId, usd, when } from '@rfqctl/lib/format'
import { usd6 } from '@rfqctl/protocol/domain/units'
import type { QuoteOutcome } from '@rfqctl/protocol/wire/maker-history'
import { encodeRejection, type QuoteRejection } from '@rfqctl/protocol/wire/rejection'
import type { Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { isSimulated, type MakerClientOptions, makerClient } from '../context/clients.ts'
import type { ChainOptions, RelayOptions } from '../context/targets.ts'
import { factLines } from '../terminal/table.ts'

/** Larger allowances count as unlimited: there are not that many dollars. */
const NO_LIMIT = 10n ** 24n

export const showStatus: Run<MakerClientOptions> = async (cli, options) => {
  const { maker, wallet, client } = await makerClient(cli, options)
  const { quotes, pending } = await client.getOwnBook({ signal: cli.stop })
  const funds = isSimulated(cli, options) ? null : await readFunds(client)
  const signer = wallet === maker.account.address ? null : maker.account.address
  const until = signer === null || funds === null ? null : await client.getSignerUntil({ signer, signal: cli.stop })
  const now = Date.now()
  cli.out.print(
    {
      type: 'maker_status',
      wallet,
      ...(signer === null ? {} : { signer, signerUntil: until }),
      balance: funds === null ? null : usd6ToNumber(funds.balance),
      coreAllowance: funds === null ? null : allowanceJson(funds.core),
      settlementAllowance: funds === null ? null : allowanceJson(funds.settlement),
      quotes: quotes.map((quote) => ({
        ...quote,
        price: usd6ToNumber(quote.price),
        size: Number(quote.size),
        expiresAt: new Date(quote.expiresAt).toISOString(),
      })),
      pending: pending.map(({ requestId, quoteId, deadline }) => ({
        requestId,
        quoteId,
        confirmationDeadline: new Date(deadline).toISOString(),
      })),
    },
    [
      ...factLines(
        [
          ['wallet', wallet],
          ...(signer === null ? [] : ([['signed by', `${signer}, ${leaveText(until)}`]] as const)),
          ...(funds === null
            ? ([['balance', 'none: simulated mode']] as const)
            : ([
                ['balance', usd(funds.balance)],
                ['core may draw', `${allowanceText(funds.core)} as collateral, when you sell`],
                ['settlement may draw', `${allowanceText(funds.settlement)} as premium, when you buy`],
              ] as const)),
          ['live', plural(quotes.length, 'quote')],
          ['to sign', plural(pending.length, 'order')],
        ],
        cli.out.colors,
      ),
      ...quotes.map((quote) => `  ${shortId(quote.requestId)}  ${priceText(quote.price)} for up to ${quote.size}`),
      ...pending.map(
        ({ quoteId, deadline }) =>
          `  quote ${shortId(quoteId)} must be signed ${when(deadline, now)} (${duration(deadline - now)})`,
      ),
    ],
  )
}

const leaveText = (until: number | null): string =>
  until === null
    ? 'which may not sign for it: rfqctl maker authorize'
    : `until ${new Date(until * 1_000).toISOString()}`

async function readFunds(client: Pick<MakerClient, 'getBalance' | 'getAllowance'>) {
  const [balance, core, settlement] = await Promise.all([
    client.getBalance(),
    client.getAllowance('core'),
    client.getAllowance('settlement'),
  ])
  return { balance, core, settlement }
}

const allowanceJson = (amount: Usd6): number | 'unlimited' => (amount >= NO_LIMIT ? 'unlimited' : usd6ToNumber(amount))

const allowanceText = (amount: Usd6): string => (amount >= NO_LIMIT ? 'without limit' : exactUsd(amount))

type HistoryOptions = RelayOptions & ChainOptions & AccountOptions & { since?: number; status?: QuoteOutcome['status'] }

export const showHistory: Run<HistoryOptions> = async (cli, options) => {
  const { client } = await makerClient(cli, options)
  const now = Date.now()
  let count = 0
  for await (const outcome of outcomesOf(client, options, { now, signal: cli.stop })) {
    count += 1
    cli.out.print(outcomeJson(outcome), outcomeLine(outcome, now))
  }
  cli.out.note(count === 0 ? 'no quote of this maker has ended' : plural(count, 'quote'))
}

export async function* outcomesOf(
  client: MakerClient,
  { since, status }: Pick<HistoryOptions, 'since' | 'status'>,
  { now, signal }: { now: number; signal: AbortSignal },
): AsyncGenerator<QuoteOutcome> {
  const filter = { ...(since === undefined ? {} : { since: now - since }), ...(status === undefined ? {} : { status }) }
  let cursor: string | null = null
  do {
    const page = await client.listQuoteOutcomes({ ...filter, ...(cursor === null ? {} : { cursor }), signal })
    yield* page.outcomes
    cursor = page.nextCursor
  } while (cursor !== null)
}

const outcomeJson = (outcome: QuoteOutcome) => ({
  type: 'outcome',
  requestId: outcome.requestId,
  quoteId: outcome.quoteId,
  status: outcome.status,
  at: new Date(outcome.at).toISOString(),
  ...(outcome.status === 'rejected'
    ? encodeRejection(outcome)
    : {
        executionId: outcome.executionId,
        taker: outcome.order.taker,
        makerSelling: outcome.order.makerSelling,
        optionAmount: Number(outcome.order.optionAmount),
        premium: usd6ToNumber(usd6(outcome.order.premiumAmount)),
        nonce: outcome.order.nonce,
        ...(outcome.standing === null ? {} : { orderStatus: outcome.standing }),
        ...(outcome.defunding === null ? {} : { defunded: outcome.defunding }),
      }),
})

function outcomeLine(outcome: QuoteOutcome, now: number): string {
  const head = `${when(outcome.at, now)}  quote ${shortId(outcome.quoteId)}`
  if (outcome.status === 'rejected') return `${head}  rejected: ${rejectionText(outcome)}`
  const { standing, defunding } = outcome
  const { makerSelling, optionAmount, premiumAmount, nonce } = outcome.order
  return `${head}  ${makerSelling ? 'sold' : 'bought'} ${optionAmount} for ${usd(usd6(premiumAmount))}, nonce ${nonce}${standing === null ? '' : `, ${standing.state}`}${defunding === null ? '' : ', defunded'}`
}

function rejectionText({ reason, feedback }: QuoteRejection): string {
  const why = reason.replaceAll('_', ' ')
  if (feedback === undefined) return why
  const { rank, quoteCount, winningPrice } = feedback
  return `${why}${winningPrice === null ? '' : ` at ${priceText(winningPrice)}`}, rank ${rank} of ${quoteCount}`
}
