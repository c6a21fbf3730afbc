import { expect, it } from 'vitest'
import { ERRORS, type ErrorCode } from '../../../src/protocol/domain/errors.ts'
import { STATUS } from '../../../src/relay/server/errors.ts'
import { EDGE } from './codes/edge.ts'
import type { Producers } from './codes/produce.ts'
import { RELAYER } from './codes/relayer.ts'
import { SETTLEMENT } from './codes/settlement.ts'
import { TRADING } from './codes/trading.ts'

/** How a caller comes to see each code of the one table: a code without a producer does not compile (decision E1). */
const PRODUCERS = { ...EDGE, ...TRADING, ...SETTLEMENT, ...RELAYER } satisfies Producers<ErrorCode>

/** The specification's own: here `error` is the code and `detail` the sentence. */
const NAMED: readonly string[] = ['maker_insufficient_balance', 'maker_insufficient_allowance', 'no_pending_acceptance']

it('every code of the table has a producer', () => {
  expect(Object.keys(PRODUCERS).sort()).toEqual(Object.keys(ERRORS).sort())
})

it.each(Object.keys(PRODUCERS) as ErrorCode[])(
  '%s reaches a caller, with its status and its sentence',
  async (code) => {
    const { status, body } = await PRODUCERS[code]()
    expect({ status, code: body.code, success: body.success }).toEqual({ status: STATUS[code], code, success: false })
    expect(body[NAMED.includes(code) ? 'detail' : 'error']).toMatch(/\w+ \w+/)
    if (NAMED.includes(code)) expect(body.error).toBe(code)
    expect(body.retryable).toBe('retryable' in ERRORS[code] ? true : undefined)
  },
)
