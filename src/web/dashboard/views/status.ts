import { age, countdown, duration, plural, priceText, usd } from '@rfqctl/lib/format'
import type { Side } from '@rfqctl/protocol/domain/request'
import { type Line, line, type Span, span } from '../line.ts'
import { bestQuote, type Candidate, dealOf, type RequestView, rankedQuotes, winnerOf } from '../request-view.ts'
import type { Glyphs, Theme } from '../theme.ts'

export function statusText(request: RequestView, now: number, glyphs: Glyphs): Span {
  const { waiting, status, isCommitting } = request
  if (waiting !== null) return span(`${glyphs.busy} waits for ${waiting.makerId}`, 'busy')
  if (status === 'committed') return span(`${glyphs.good} committed${byWinner(request)}`, 'good')
  if (status !== 'open') return span(`${glyphs.lost} ${status}`, 'faint')
  if (isCommitting) return span(`${glyphs.busy} choosing a maker`, 'busy')
  return bestQuote(request, now) === null ? span(`${glyphs.lost} no quote yet`, 'faint') : span(`${glyphs.live} quoted`)
}

/** For narrow columns, with the time left: the signer, the number of quotes, or the outcome. */
export function shortStatus(request: RequestView, now: number, glyphs: Glyphs): Span {
  const { waiting, status, isCommitting, quotes, hiddenQuotes } = request
  const left = timeLeft(request, now).text
  if (waiting !== null) return span(`${glyphs.busy} ${waiting.makerId} ${left}`, 'busy')
  if (status === 'committed') {
    const deal = dealOf(request, now)
    return span(`${glyphs.good} ${deal === null ? status : `${deal.contracts} ${deal.makerId}`}`, 'good')
  }
  if (status !== 'open') return span(`${glyphs.lost} ${status}`, 'faint')
  if (isCommitting) return span(`${glyphs.busy} choosing`, 'busy')
  if (bestQuote(request, now) === null) return span(`${glyphs.lost} no quote ${left}`, 'faint')
  return span(`${glyphs.live} ${plural(quotes.size + hiddenQuotes, 'quote')} ${left}`)
}

export function timeLeft({ waiting, status, expiresAt }: RequestView, now: number): Span {
  if (waiting !== null) return span(countdown(waiting.deadline - now), 'busy')
  return status === 'open' ? span(countdown(expiresAt - now)) : span('-', 'faint')
}

function orderText({ orderEnd }: RequestView): string {
  if (orderEnd === null) return ''
  const end = orderEnd.kind.replace('order_', '')
  return 'blockNumber' in orderEnd ? `, ${end} in block ${orderEnd.blockNumber}` : `, ${end} unfilled`
}

/** Share of the signing time left, 0..1; null if no maker is awaited. */
export const waitShare = ({ waiting }: RequestView, now: number): number | null =>
  waiting === null ? null : (waiting.deadline - now) / (waiting.deadline - waiting.askedAt)

export function statusSentence(request: RequestView, now: number, { glyphs, medium }: Theme): Line {
  const { waiting, status, isCommitting, openedAt, expiresAt } = request
  if (waiting !== null) {
    const what = { buy: ' the purchase', sell: ' the sale', none: '' }[namedSide(request) ?? 'none']
    const text = `${glyphs.busy} waits for ${waiting.makerId} to sign${what}: ${countdown(waiting.deadline - now)} left`
    if (medium === 'speech') return line(`${text} of ${duration(waiting.deadline - waiting.askedAt)}`)
    return line(span(text, 'busy'))
  }
  if (status === 'committed')
    return line(
      span(`${glyphs.good} committed${sideText(request)}${agreementText(request, now)}${orderText(request)}`, 'good'),
    )
  if (status !== 'open') return line(span(`${glyphs.lost} ${status}: it takes no more quotes`, 'faint'))
  if (isCommitting)
    return line(span(`${glyphs.busy} the taker has committed${sideText(request)}: choosing a maker`, 'busy'))
  if (bestQuote(request, now) !== null)
    return line(`${glyphs.live} open for another ${countdown(expiresAt - now)}: no commit yet`)
  if (now >= expiresAt) return line(span(`${glyphs.lost} expired`, 'faint'))
  return line(
    span(
      `${glyphs.lost} no quote after ${age(now - openedAt)}, open for another ${countdown(expiresAt - now)}`,
      'faint',
    ),
  )
}

/** The side that a commit to a request for both has named; null elsewhere, where the terms say it. */
const namedSide = ({ terms, side }: RequestView): Side | null => (terms.trade.side === 'both' ? side : null)

function sideText(request: RequestView): string {
  const side = namedSide(request)
  return side === null ? '' : ` to ${side}`
}

export function candidateParts(request: RequestView, now: number, glyphs: Glyphs): Line[] {
  if (request.candidates.length === 0) return []
  const asked = new Set(request.candidates.slice(request.commitFrom).map(({ makerId }) => makerId))
  const isOpen = request.status === 'open'
  const next = isOpen ? rankedQuotes(request, now).find(({ makerId }) => !asked.has(makerId)) : undefined
  return [
    ...request.candidates.map((candidate, i) => line(`${i + 1} ${candidate.makerId} `, outcomeText(candidate, glyphs))),
    ...(next === undefined ? [] : [line(span(`then ${next.makerId}`, 'faint'))]),
  ]
}

export function outcomeText({ outcome }: Pick<Candidate, 'outcome'>, { busy, good, bad }: Glyphs): Span {
  if (outcome === 'asked') return span(`${busy} asked`, 'busy')
  if (outcome === 'confirmed') return span(`${good} confirmed`, 'good')
  return span(`${bad} ${outcome}`, 'bad')
}

function byWinner(request: RequestView): string {
  const winner = winnerOf(request)
  return winner === null ? '' : ` by ${winner}`
}

function agreementText(request: RequestView, now: number): string {
  const deal = dealOf(request, now)
  if (deal === null) return byWinner(request)
  return `: ${deal.makerId} signed ${deal.contracts} at ${priceText(deal.price)} for ${usd(deal.premium)}`
}
