import type { MakerBotEvent } from '@rfqctl/agents/bots/maker-events'
import type { Statement } from '@rfqctl/agents/bots/portfolio'
import { duration, gain, plural, priceText, shortId, when } from '@rfqctl/lib/format'
import { usd6ToNumber } from '@rfqctl/protocol/domain/decimal'
import { tripFigures } from '@rfqctl/protocol/domain/maker-protections'
import { encodeSuspension } from '@rfqctl/protocol/wire/maker-record'
import { describeFailure } from '../errors/describe-failure.ts'
import type { Colors } from '../terminal/colors.ts'

export function makerEventJson(maker: string, event: MakerBotEvent): Record<string, unknown> | null {
  const base = { type: event.kind, maker }
  switch (event.kind) {
    case 'link':
      if (event.channel !== 'requests' || event.state.kind !== 'lost') return null
      return { ...base, type: 'lost_relay', retryInMs: Math.round(event.state.retryInMs) }
    case 'connected':
      return { ...base, makerId: event.makerId }
    case 'blocked':
    case 'reinstated':
      return base
    case 'heard':
      return { ...base, requestId: event.request.requestId }
    case 'passed':
      return { ...base, requestId: event.requestId, reason: event.reason }
    case 'quoted': {
      const { requestId, quoteId, price, size, value, round } = event
      const quoted = { ...base, requestId, quoteId, price: usd6ToNumber(price), size: Number(size), value, round }
      return event.isFirm === true ? { ...quoted, firm: true } : quoted
    }
    case 'withdrew':
    case 'missed':
    case 'signed':
      return { ...base, requestId: event.requestId, quoteId: event.quoteId }
    case 'asked':
      return { ...base, requestId: event.acceptance.requestId, quoteId: event.acceptance.quoteId }
    case 'declined':
    case 'lost':
      return { ...base, requestId: event.requestId, quoteId: event.quoteId, reason: event.reason }
    case 'won':
      return { ...base, requestId: event.requestId, quoteId: event.quoteId, position: event.position }
    case 'tripped':
      return { ...base, trip: tripFigures(event.trip) }
    case 'suspended':
      return { ...base, ...encodeSuspension(event) }
    case 'hedged':
      return { ...base, yesTokenId: event.yesTokenId, tokens: Number(event.tokens), price: usd6ToNumber(event.price) }
    case 'marked':
      return { ...base, type: 'pnl', ...statementJson(event.statement) }
    case 'failed': {
      const { code, message } = describeFailure(event.error)
      return { ...base, doing: event.doing, requestId: event.requestId, code, error: message }
    }
  }
}

/** In dollars. */
const statementJson = ({ trades, premium, options, hedge, total }: Statement) => ({
  trades,
  premium: usd6ToNumber(premium),
  options: usd6ToNumber(options),
  hedge: usd6ToNumber(hedge),
  total: usd6ToNumber(total),
})

export function makerEventLine(maker: string, event: MakerBotEvent, colors: Colors): string | null {
  const words = eventText(maker, event, colors)
  return words === null ? null : `${colors.bold(maker)}  ${words}`
}

function eventText(maker: string, event: MakerBotEvent, colors: Colors): string | null {
  switch (event.kind) {
    case 'link':
      if (event.channel !== 'requests' || event.state.kind !== 'lost') return null
      return colors.yellow(`lost the connection to the relay; trying again in ${duration(event.state.retryInMs)}`)
    case 'connected':
      return colors.dim(`connected as ${event.makerId}`)
    case 'blocked':
      return colors.yellow(`is blocked by the operator, until rfqctl maker unblock ${maker}`)
    case 'quoted':
      return `quotes ${shortId(event.requestId)}  ${priceText(event.price)} for up to ${event.size}${event.isFirm === true ? ', firm' : ''}${event.round > 0 ? colors.dim(' (better)') : ''}`
    case 'passed':
      return colors.dim(`passes on ${shortId(event.requestId)}: ${event.reason}`)
    case 'signed':
      return `signed the order of ${shortId(event.requestId)}`
    case 'won':
      return colors.green(`won ${shortId(event.requestId)}, position ${event.position}`)
    case 'lost':
      return colors.dim(`lost ${shortId(event.requestId)}: ${event.reason}`)
    case 'declined':
      return colors.yellow(`declined ${shortId(event.requestId)}: ${event.reason}`)
    case 'tripped':
      return colors.yellow(`is held back by its protections after ${plural(event.trip.used.accepted, 'order')}`)
    case 'missed':
      return colors.yellow(`missed the order of ${shortId(event.requestId)}`)
    case 'suspended':
      return colors.yellow(
        `is suspended after ${plural(event.because.length, 'broken promise')}, ends ${when(event.until, Date.now())}`,
      )
    case 'reinstated':
      return colors.green('is no longer suspended')
    case 'marked':
      return pnlText(event.statement, colors)
    case 'failed':
      return colors.red(`could not ${event.doing}: ${describeFailure(event.error).message}`)
    case 'heard':
    case 'asked':
    case 'withdrew':
    case 'hedged':
      return null
  }
}

function pnlText({ trades, premium, options, hedge, total }: Statement, colors: Colors): string {
  const parts = `premium ${gain(premium)}, options ${gain(options)}, hedge ${gain(hedge)}; ${plural(trades, 'trade')}`
  return `P&L ${(total < 0n ? colors.red : colors.green)(gain(total))}  ${colors.dim(parts)}`
}
