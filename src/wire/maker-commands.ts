import { parseJson } from './json.ts'
import { decodeMakerCalls, MAKER_CALLS, type MakerCalls } from './maker-calls.ts'
import { messageOf } from './maker-messages.ts'
import { oneOf, SecretText } from './schemas.ts'

/** All messages of makers by type. */
export const MAKER_COMMANDS = {
  auth: messageOf('auth', { apiKey: SecretText }),
  ping: messageOf('ping', {}),
  subscribe: messageOf('subscribe', { to: oneOf('orders', 'standing') }),
  ...MAKER_CALLS,
} as const

/** What a maker may ask to be told, beyond the specification: how its signed orders end, or what comes of its record (decision X5). */
export type Subscription = 'orders' | 'standing'

/** What a maker may say on its socket. A key of another type than text counts as a bad one. */
export type MakerCommand =
  | { kind: 'auth'; apiKey: string | null }
  | { kind: 'ping' }
  | { kind: 'subscribe'; to: Subscription }
  | { kind: 'calls'; calls: MakerCalls }

/** What no maker's key is. */
const NO_KEY = ''

/** A message of a maker; null for anything that is none, which is ignored. */
export function decodeMakerCommand(text: string): MakerCommand | null {
  const message = parseOrNull(text)
  if (typeof message !== 'object' || message === null || !('type' in message)) return null
  if (message.type === 'ping') return { kind: 'ping' }
  if (message.type === 'subscribe') {
    return 'to' in message && isSubscription(message.to) ? { kind: 'subscribe', to: message.to } : null
  }
  if (message.type !== 'auth') {
    const calls = decodeMakerCalls(message)
    return calls === null ? null : { kind: 'calls', calls }
  }
  const apiKey = 'apiKey' in message ? (message.apiKey ?? null) : null
  return { kind: 'auth', apiKey: apiKey === null || typeof apiKey === 'string' ? apiKey : NO_KEY }
}

/** The message that authenticates a socket. */
export const encodeAuth = (apiKey: string) => ({ type: 'auth', apiKey }) as const

/** The message that asks to be told more. */
export const encodeSubscribe = (to: Subscription) => ({ type: 'subscribe', to }) as const

/** The message that asks for a pong. */
export const encodePing = () => ({ type: 'ping' }) as const

const isSubscription = (to: unknown): to is Subscription => to === 'orders' || to === 'standing'

function parseOrNull(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}
