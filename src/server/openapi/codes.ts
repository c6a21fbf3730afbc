import type { ErrorCode } from '../../domain/errors.ts'
import { STATUS } from '../errors.ts'
import type { DescribedRoute } from './routes.ts'

/** What any route may answer. */
const ALWAYS = ['shutting_down', 'internal_error'] as const

/** What a route may answer that reads a body, and every one but GET does. */
const WITH_BODY = [
  'invalid_request',
  'invalid_json',
  'unsupported_media_type',
  'payload_too_large',
  'request_timeout',
] as const

/** The codes with which a route may refuse, by status in rising order. */
export function refusalsOf({ method, params, docs }: DescribedRoute): [status: number, codes: ErrorCode[]][] {
  const codes: ErrorCode[] = [
    ...(docs.errors ?? []),
    ...(method === 'GET' ? [] : WITH_BODY),
    ...(docs.query === undefined && docs.answer !== 'websocket' ? [] : (['invalid_request'] as const)),
    ...(docs.cost === undefined ? [] : (['too_many_requests'] as const)),
    ...(params.length === 0 ? [] : (['not_found'] as const)),
    ...ALWAYS,
  ]
  const unique = [...new Set(codes)]
  const statuses = [...new Set(unique.map((code) => STATUS[code]))].sort((a, b) => a - b)
  return statuses.map((status) => [status, unique.filter((code) => STATUS[code] === status)])
}
