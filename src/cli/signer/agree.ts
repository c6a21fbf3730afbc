import { getAuthority } from '@rfqctl/client/authority'
import { transportOf } from '@rfqctl/client/from-text'
import { createTakerClient } from '@rfqctl/client/taker'
import { CliError } from '@rfqctl/lib/cli-error'
import { resolution } from '@rfqctl/lib/format'
import { utcText } from '@rfqctl/protocol/domain/safe-text'
import { seriesIdOf } from '@rfqctl/protocol/domain/series'
import type { ResolutionBps } from '@rfqctl/protocol/domain/units'
import { createSignedPrices } from '@rfqctl/relay/adapters/signer/signed-prices'
import { signedPricesDir } from '@rfqctl/relay/app/start-signer'
import type { Cli, Run } from '../cli.ts'
import { type ChainOptions, dataDirOf, type RelayOptions, relayUrl, tradingChain } from '../context/targets.ts'
import { type ChosenSeries, chosenWithTerms } from '../send/chosen-series.ts'
import { factLines } from '../terminal/table.ts'

type Options = RelayOptions & ChainOptions & { price: ResolutionBps; yes?: boolean }

/**
 * Books the price that the signer of this data directory shall sign for a market and expiry, after a person has decided. A
 * price that it has booked or signed already stays, and is named in the refusal.
 */
export const agree: Run<Options, [series: string]> = async (cli, options, text) => {
  const { price } = options
  const { rpcUrl, stablecoinAddress: _, ...contracts } = tradingChain(cli, options)
  const chain = { ...contracts, transport: transportOf(rpcUrl) }
  const client = createTakerClient({ url: relayUrl(cli, options), chain })
  const [series] = await chosenWithTerms({ chain, client }, cli, options, [text])
  if (series === undefined) throw new Error('A series that was asked for is missing.')
  const { seriesId, name, terms } = series
  // A relay lists names and terms: what is booked must be of the series that the chain has.
  if (seriesIdOf(terms) !== seriesId) throw new CliError(`the terms that the relay lists are not those of ${name}`)
  const { time } = await getAuthority(chain)
  assertOpen(series, time)
  const prices = createSignedPrices(signedPricesDir(dataDirOf(cli, options), contracts))
  assertSame(await prices.find(terms), price)
  const { conditionId, yesTokenId, expiry } = terms
  const facts = [
    ['series', seriesId],
    ['condition', conditionId],
    ['YES token', yesTokenId],
    ['expired', utcText(expiry * 1_000)],
    ['price', `${resolution(price)}, for all series and packages of this market and expiry`],
    ['undone by', 'no one: the signer signs this price and no other'],
  ] as const
  for (const line of factLines(facts, cli.out.colors)) cli.out.note(line)
  await assertYes(cli, options, `have the signer sign ${resolution(price)} for ${name}`)
  assertSame(await prices.agree(terms, price), price)
  cli.out.print(
    { type: 'signer_agreed', seriesId, conditionId, yesTokenId, expiry, resolutionBps: price },
    `the signer signs ${resolution(price)} for ${name}, and all of its market and expiry`,
  )
}

function assertOpen({ name, expiry, resolutionBps }: ChosenSeries, time: number): void {
  if (resolutionBps !== null) {
    const why = [`at ${resolution(resolutionBps)}`]
    throw new CliError(`${name} is settled already`, { code: 'series_already_settled', why })
  }
  if (time >= expiry) return
  throw new CliError(`${name} has not expired`, {
    code: 'series_not_expired',
    why: [`it expires at ${utcText(expiry * 1_000)}; chain time is ${utcText(time * 1_000)}`],
  })
}

function assertSame(standing: ResolutionBps | null, price: ResolutionBps): void {
  if (standing === null || standing === price) return
  throw new CliError(`the signer has ${resolution(standing)} for this market and expiry already`, {
    code: 'already_resolved',
    why: ['a signer signs one price for a market and expiry, so that no one can have it sign a second'],
  })
}

async function assertYes(cli: Cli, { yes = false }: Options, act: string): Promise<void> {
  if (yes) return
  const answer = cli.ask === undefined ? null : await cli.ask(`${act}? Type yes: `)
  if (answer !== null && /^\s*y(es)?\s*$/i.test(answer)) return
  throw new CliError('nothing was booked', {
    code: 'not_confirmed',
    why: [answer === null ? 'no one can be asked: this is not a terminal' : 'the answer was not yes'],
    hint: 'pass --yes to book it without a question',
  })
}
