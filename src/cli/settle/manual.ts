import { CliError } from '@rfqctl/lib/cli-error'
import { duration, resolution } from '@rfqctl/lib/format'
import type { ResolutionBps } from '@rfqctl/protocol/domain/units'
import { AT_ONCE, guardianIn, ownerIn } from '../chain/authority.ts'
import {
  atText,
  type ChosenSeries,
  chosenJson,
  chosenSeries,
  chosenWithTerms,
  standingOf,
} from '../send/chosen-series.ts'
import { nothingToDo, type SendOptions, sending, sendingOwn } from '../send/send.ts'

const ALL_OF_FIXING = 'all series and packages of its market and expiry'

/** Refuses a settled series. */
function unsettled<Chosen extends ChosenSeries>(text: string, series: Chosen | undefined): Chosen {
  if (series !== undefined && series.resolutionBps === null) return series
  throw new CliError(`${text} is settled already`, {
    code: 'series_already_settled',
    why: [`at ${resolution(series?.resolutionBps ?? 0)}`],
    hint: 'rfqctl claim',
  })
}

const proposalText = ({ proposal }: ChosenSeries, now: number): string =>
  proposal === null
    ? 'none'
    : `${resolution(proposal.resolutionBps)}, executable from ${atText(proposal.executableAt, now)} until ${atText(proposal.lapsesAt, now)}`

export const propose = sending<SendOptions & { price: ResolutionBps }, [series: string]>(
  async (sender, cli, options, text) => {
    const { calls, authority } = sender
    const { time, notices } = authority
    const series = unsettled(text, (await chosenSeries(sender, cli, options, [text]))[0])
    const { seriesId, name } = series
    const executableAt = time + notices.price
    return {
      type: 'manual_proposed',
      act: `propose ${resolution(options.price)} as the price of ${name}`,
      holders: [ownerIn(authority)],
      facts: [
        [name, standingOf(series, time)],
        ['proposed', proposalText(series, time)],
        ['allowed from', atText(series.proposableAt, time)],
        ['for', ALL_OF_FIXING],
        ['counts from', `${atText(executableAt, time)}, once it is executed: rfqctl settle manual execute`],
        [
          'until then',
          series.isVetoed
            ? 'nothing: signed prices are refused'
            : 'a resolution by the signer settles the series instead',
        ],
        [
          'undone by',
          [
            `another proposal, whose notice of ${duration(notices.price * 1_000)} begins again`,
            ...(authority.conditionalTokens === null || series.isProposalVetoed
              ? []
              : ['the guardian, once: rfqctl settle manual veto']),
          ].join('; '),
        ],
      ],
      data: { series: chosenJson(series), resolutionBps: options.price, executableAt },
      calls: [calls.proposeManual({ seriesId, resolutionBps: options.price })],
      done: `proposed ${resolution(options.price)} for ${name}, executable from ${atText(executableAt, time)}`,
      next: 'rfqctl settle manual execute, after the notice',
    }
  },
)

export const execute = sending<SendOptions, [series: string]>(async (sender, cli, options, text) => {
  const { calls, authority } = sender
  const series = unsettled(text, (await chosenSeries(sender, cli, options, [text]))[0])
  const { seriesId, name, proposal } = series
  if (proposal === null) {
    throw new CliError(`no price is proposed for ${name}`, {
      code: 'manual_proposal_missing',
      hint: 'rfqctl settle manual propose SERIES --price USD',
    })
  }
  return {
    type: 'manual_executed',
    act: `settle ${name} at ${resolution(proposal.resolutionBps)}`,
    holders: [ownerIn(authority)],
    facts: [
      [name, standingOf(series, authority.time)],
      ['proposed', proposalText(series, authority.time)],
      ['for', ALL_OF_FIXING],
      AT_ONCE,
      ['then', 'the price is final, and holders and writers claim'],
      ['undone by', 'no one'],
    ],
    data: { series: chosenJson(series), ...proposal },
    calls: [calls.executeManual({ seriesId })],
    done: `settled ${name} at ${resolution(proposal.resolutionBps)}`,
    next: 'rfqctl claim',
  }
})

export const veto = sending<SendOptions, [series: string]>(async (sender, cli, options, text) => {
  const { calls, authority } = sender
  const { time } = authority
  const [series] = await chosenSeries(sender, cli, options, [text])
  if (series === undefined || series.resolutionBps === null) throw nothingToDo(`${series?.name ?? text} has no price`)
  const { seriesId, name, resolutionBps, finalAt } = series
  if (finalAt <= time) throw nothingToDo(`the price of ${name} is final since ${atText(finalAt, time)}`)
  return {
    type: 'series_vetoed',
    act: `veto the price ${resolution(resolutionBps)} of ${name}`,
    holders: [guardianIn(authority)],
    facts: [
      [name, standingOf(series, time)],
      AT_ONCE,
      ['for', ALL_OF_FIXING],
      ['then', 'they have no price, and signed prices of them are refused; once'],
      ['prices from', `the owner, ${atText(Math.max(time, series.proposableAt), time)} and a day of notice`],
      [
        'or from',
        authority.conditionalTokens === null
          ? 'no one: this core has no last resort'
          : `the market itself, ${atText(series.lastResortAt, time)}: rfqctl settle last-resort`,
      ],
      ['undone by', 'no one'],
    ],
    data: { series: chosenJson(series) },
    calls: [calls.vetoSeries({ seriesId })],
    done: `the price of ${name} is vetoed`,
    next: 'rfqctl settle manual propose',
  }
})

/** Takes the owner's proposal back; the market's payout then comes before the owner. */
export const vetoProposal = sending<SendOptions, [series: string]>(async (sender, cli, options, text) => {
  const { calls, authority } = sender
  const { time } = authority
  const series = unsettled(text, (await chosenSeries(sender, cli, options, [text]))[0])
  const { seriesId, name, proposal } = series
  if (proposal === null) throw nothingToDo(`no price is proposed for ${name}`)
  return {
    type: 'manual_vetoed',
    act: `veto the proposed price ${resolution(proposal.resolutionBps)} of ${name}`,
    holders: [guardianIn(authority)],
    facts: [
      [name, standingOf(series, time)],
      ['proposed', proposalText(series, time)],
      ['for', ALL_OF_FIXING],
      AT_ONCE,
      ['then', 'the market itself settles, from 7 days after expiry: rfqctl settle last-resort'],
      ['or', 'the owner proposes again, from 30 days after expiry; the guardian cannot veto that one'],
      ['undone by', 'no one'],
    ],
    data: { series: chosenJson(series), ...proposal },
    calls: [calls.vetoManual({ seriesId })],
    done: `the proposed price of ${name} is vetoed`,
  }
})

/** Uses the payout of the series' own market, when no other way has settled it. */
export const lastResort = sendingOwn<SendOptions, [series: string]>(async (sender, cli, options, text) => {
  const { calls, authority } = sender
  const series = unsettled(text, (await chosenWithTerms(sender, cli, options, [text]))[0])
  const { name } = series
  return {
    type: 'market_payout_used',
    act: `settle ${name} by the payout of its market`,
    holders: [],
    facts: [
      [name, standingOf(series, authority.time)],
      ['payouts of', authority.conditionalTokens ?? 'no contract: this core has no last resort'],
      ['allowed from', atText(series.lastResortAt, authority.time)],
      ['for', ALL_OF_FIXING],
      ['then', 'the price is final at once'],
      ['undone by', 'no one'],
    ],
    data: { series: chosenJson(series) },
    calls: [calls.settleFromCondition({ terms: series.terms })],
    done: `${name} is settled by the payout of its market`,
    next: 'rfqctl claim',
  }
})
