import type { Static } from 'typebox'
import * as field from './field.ts'
import { encodeTime } from './fields.ts'
import { PROTOCOL_VERSION } from './maker-messages.ts'
import { createReader } from './reader.ts'
import { Count, described, successOf, Text, UnixMs } from './schemas.ts'

export const HomeAnswer = successOf({
  service: described(Text, 'Name of the service.', 'rfqctl'),
  version: described(Text, 'Version of the REST description.', '3.0.0'),
  software: described(Text, 'Version of the program.', '0.1.0'),
  mode: field.mode,
  chainId: field.chainId,
})

export const TimeAnswer = successOf({
  serverTime: field.serverTime,
  unixMs: described(UnixMs, "The relay's clock in Unix milliseconds.", 1_799_996_400_000),
})

export const MakerStatusAnswer = successOf({
  protocolVersion: described(Count, field.protocolVersion),
  mode: field.mode,
  serverTime: field.serverTime,
  makersConnected: field.makersConnected,
  socketsConnected: described(Count, 'Connected maker sockets, over all nodes.', 3),
  streamPath: described(Text, 'Path of the maker stream.', '/v1/mm/quote-requests/stream'),
  quotePath: described(Text, 'Path to which quotes are posted.', '/v1/mm/quotes'),
  wsPath: described(Text, 'Path of the maker socket.', '/maker/v1/ws'),
})

const MAKER_PATHS = {
  streamPath: '/v1/mm/quote-requests/stream',
  quotePath: '/v1/mm/quotes',
  wsPath: '/maker/v1/ws',
}

export const API_VERSION = '3.0.0'

const readHome = createReader(HomeAnswer, 'the answer')
const readTime = createReader(TimeAnswer, 'the answer')

type Mode = 'onchain' | 'simulated'

type Home = { mode: Mode; chainId: number }

/** Writes the description of the relay; `software` is the version of the program that answers. */
export const encodeHome = ({ mode, chainId }: Home, software: string): Static<typeof HomeAnswer> => ({
  success: true,
  service: 'rfqctl',
  version: API_VERSION,
  software,
  mode,
  chainId,
})

export function decodeHome(answer: unknown): Home {
  const { mode, chainId } = readHome(answer)
  return { mode, chainId }
}

/** The relay's clock, Unix milliseconds. */
export const encodeNow = (now: number): Static<typeof TimeAnswer> => ({
  success: true,
  serverTime: encodeTime(now),
  unixMs: now,
})

/** The relay's clock in Unix milliseconds. */
export const decodeNow = (answer: unknown): number => readTime(answer).unixMs

type MakerStatus = { mode: Mode; now: number; connected: { makersConnected: number; socketsConnected: number } }

/** Writes the state of the maker channels at `now`, Unix milliseconds. */
export const encodeMakerStatus = ({ mode, now, connected }: MakerStatus): Static<typeof MakerStatusAnswer> => ({
  success: true,
  protocolVersion: PROTOCOL_VERSION,
  mode,
  serverTime: encodeTime(now),
  ...connected,
  ...MAKER_PATHS,
})
