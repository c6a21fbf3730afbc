import { parseJson } from './json.ts'
import { messageOf } from './maker-messages.ts'
import { SecretText } from './schemas.ts'

/** All messages of makers by type. */
export const MAKER_COMMANDS = {
  auth: messageOf('auth', { apiKey: SecretText }),
  ping: messageOf('ping', {}),
} as const

/** What a maker may say on its socket. A key of another type than text counts as a bad one. */
export type MakerCommand = { kind: 'auth'; apiKey: string | null } | { kind: 'ping' }

/** What no maker's key is. */
const NO_KEY = ''

/** A message of a maker; null for anything that is none, which is ignored. */
export function decodeMakerCommand(text: string): MakerCommand | null {
  const message = parseOrNull(text)
  if (typeof message !== 'object' || message === null || !('type' in message)) return null
  if (message.type === 'ping') return { kind: 'ping' }
  if (message.type !== 'auth') return null
  const apiKey = 'apiKey' in message ? (message.apiKey ?? null) : null
  return { kind: 'auth', apiKey: apiKey === null || typeof apiKey === 'string' ? apiKey : NO_KEY }
}

/** The message that authenticates a socket. */
export const encodeAuth = (apiKey: string) => ({ type: 'auth', apiKey }) as const

/** The message that asks for a pong. */
export const encodePing = () => ({ type: 'ping' }) as const

function parseOrNull(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}
