import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { encodeFailure } from '@rfqctl/protocol/wire/envelope'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../core/ports/runtime.ts'
import { statusOf, toRefusal } from './errors.ts'
import { pathOf, tooManyHeaders } from './headers.ts'

/** Internal faults are logged and never shown. */
export const createFailureHandler =
  (log: Log) =>
  (fault: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const refusal = toRefusal(fault)
    if (refusal.code === 'internal_error') {
      log.error('request_failed', { route: request.routeOptions?.url ?? 'none', path: pathOf(request), fault })
    }
    const { retryAfterS } = refusal.data
    if (typeof retryAfterS === 'number') reply.header('retry-after', retryAfterS)
    reply.code(statusOf(refusal)).send(encodeFailure(refusal))
  }

/** For input that is not HTTP, or did not arrive in time. */
export function answerBrokenRequest(fault: Error & { code?: string }, socket: Socket): void {
  // Bytes were written: they may belong to another answer, which nothing may be mixed into.
  if (!socket.writable || socket.bytesWritten > 0) {
    socket.destroy()
    return
  }
  writeRefusal(socket, fault.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? toRefusal(fault) : malformed(fault.code))
}

const malformed = (code: string | undefined): RfqError =>
  code === 'HPE_HEADER_OVERFLOW'
    ? tooManyHeaders()
    : new RfqError('invalid_request', { detail: 'Malformed HTTP request.' })

/** Writes past the HTTP layer, then closes the socket. */
export function writeRefusal(socket: Writable, refusal: RfqError): void {
  const status = statusOf(refusal)
  const body = JSON.stringify(encodeFailure(refusal))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
