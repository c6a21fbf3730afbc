import { describe, expect, test } from 'vitest'
import { isLost, isPassing, OrderMismatchError, RelayError, RelayUnreachableError } from '../../src/client/errors.ts'

const refusal = (status: number, code = 'any') => new RelayError({ code, status })
const lost = new RelayUnreachableError('http://127.0.0.1/x?apiKey=secret', { reason: 'ECONNRESET' })

describe('a connection', () => {
  test.each([500, 502, 503, 504, 408, 429])('is tried again after a refusal with %i', (status) => {
    expect(isPassing(refusal(status))).toBe(true)
  })

  test.each([400, 401, 403, 404, 409, 422])('is given up after a refusal with %i', (status) => {
    expect(isPassing(refusal(status))).toBe(false)
  })

  test('is tried again when nothing was reached, and not after a fault of our own', () => {
    expect(isPassing(lost)).toBe(true)
    expect(isPassing(new TypeError('oops'))).toBe(false)
  })
})

describe('a call', () => {
  test('is lost when nothing answered, a proxy did, or the relay was going down', () => {
    expect([lost, refusal(502), refusal(504), refusal(503, 'shutting_down')].map(isLost)).toEqual([
      true,
      true,
      true,
      true,
    ])
  })

  test('is answered by any other refusal', () => {
    const answers = [refusal(503, 'no_maker_confirmed'), refusal(500), refusal(409), new Error('oops'), null]
    expect(answers.map(isLost)).toEqual([false, false, false, false, false])
  })
})

describe('an error', () => {
  test('names what the table says of its code', () => {
    const error = refusal(503, 'no_maker_confirmed')
    expect(error.message).toBe('No maker confirmed in time; the request stays open.')
    expect(error.retryable).toBe(true)
  })

  test('with an unknown code is retryable by its status', () => {
    expect(refusal(503, 'kettle').retryable).toBe(true)
    expect(refusal(429, 'kettle').retryable).toBe(true)
    expect(refusal(418, 'kettle')).toMatchObject({ retryable: false, message: 'The relay refused: kettle.' })
    expect(refusal(400, 'toString').message).toBe('The relay refused: toString.')
  })

  test('shows no query, where a key may be', () => {
    expect(lost.url).toBe('http://127.0.0.1/x')
    expect(lost.message).not.toContain('secret')
  })

  test('names every fault of an order', () => {
    expect(new OrderMismatchError(['one', 'two']).message).toBe('The order is not what was agreed: one; two.')
  })
})
