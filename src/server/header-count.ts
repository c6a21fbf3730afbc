import type { IncomingMessage } from 'node:http'
import { RfqError } from '../domain/errors.ts'

/** Headers that a request may have. */
const MAX_HEADERS = 100

/** At how many Node stops reading: one more than may be, so that a request with too many is told from one that has them all. */
export const HEADERS_READ = MAX_HEADERS + 1

/**
 * Whether a request has more headers than are read. What Node leaves out could be what a proxy has added behind those of its
 * client, and a request without it would be another one.
 */
export const hasTooManyHeaders = ({ rawHeaders }: IncomingMessage): boolean => rawHeaders.length > 2 * MAX_HEADERS

/** The refusal of such a request. Later versions of Node refuse it themselves, by the code of headers beyond their 16 KiB. */
export const tooManyHeaders = (): RfqError =>
  new RfqError('invalid_request', {
    detail: `There are more than ${MAX_HEADERS} headers, or more than 16 KiB of them.`,
  })
