import type { MakerBotEvent } from '../../bots/maker-events.ts'
import { usd6ToNumber } from '../../domain/decimal.ts'
import { describeFailure } from '../describe-failure.ts'
import { duration, shortId, usd } from '../format.ts'
import type { Paint } from '../paint.ts'

/** What a simulated maker did, for programs; null for what is not worth a line. */
export function makerEventJson(maker: string, event: MakerBotEvent): Record<string, unknown> | null {
  const base = { type: event.kind, maker }
  switch (event.kind) {
    case 'link':
      if (event.channel !== 'requests' || event.state.kind !== 'lost') return null
      return { ...base, type: 'lost_relay', retryInMs: Math.round(event.state.retryInMs) }
    case 'connected':
      return { ...base, makerId: event.makerId }
    case 'heard':
      return { ...base, requestId: event.request.requestId }
    case 'passed':
      return { ...base, requestId: event.requestId, reason: event.reason }
    case 'quoted': {
      const { requestId, quoteId, price, size, value, round } = event
      return { ...base, requestId, quoteId, price: usd6ToNumber(price), size: Number(size), value, round }
    }
    case 'withdrew':
    case 'signed':
      return { ...base, requestId: event.requestId, quoteId: event.quoteId }
    case 'asked':
      return { ...base, requestId: event.acceptance.requestId, quoteId: event.acceptance.quoteId }
    case 'declined':
    case 'lost':
      return { ...base, requestId: event.requestId, quoteId: event.quoteId, reason: event.reason }
    case 'won':
      return { ...base, requestId: event.requestId, quoteId: event.quoteId, position: event.position }
    case 'failed': {
      const { code, message } = describeFailure(event.error)
      return { ...base, doing: event.doing, requestId: event.requestId, code, error: message }
    }
  }
}

/** What a simulated maker did, in a line for people; null for what would drown the rest. */
export function makerEventLine(maker: string, event: MakerBotEvent, paint: Paint): string | null {
  const words = eventWords(event, paint)
  return words === null ? null : `${paint.bold(maker)}  ${words}`
}

function eventWords(event: MakerBotEvent, paint: Paint): string | null {
  switch (event.kind) {
    case 'link':
      if (event.channel !== 'requests' || event.state.kind !== 'lost') return null
      return paint.yellow(`lost the relay, tries again in ${duration(event.state.retryInMs)}`)
    case 'connected':
      return paint.dim(`connected as ${event.makerId}`)
    case 'quoted':
      return `quotes ${shortId(event.requestId)}  ${usd(event.price)} for up to ${event.size}${event.round > 0 ? paint.dim(' (better)') : ''}`
    case 'passed':
      return paint.dim(`passes on ${shortId(event.requestId)}: ${event.reason}`)
    case 'signed':
      return `signed the order of ${shortId(event.requestId)}`
    case 'won':
      return paint.green(`won ${shortId(event.requestId)}, position ${event.position}`)
    case 'lost':
      return paint.dim(`lost ${shortId(event.requestId)}: ${event.reason}`)
    case 'declined':
      return paint.yellow(`declined ${shortId(event.requestId)}: ${event.reason}`)
    case 'failed':
      return paint.red(`could not ${event.doing}: ${describeFailure(event.error).message}`)
    case 'heard':
    case 'asked':
    case 'withdrew':
      return null
  }
}
