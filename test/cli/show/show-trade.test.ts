import { describe, expect, it } from 'vitest'
import { termsText } from '../../../src/cli/show/show-trade.ts'
import { termsJson } from '../../../src/client/to-json.ts'
import { CALL_BUY } from '../../support/test-relay.ts'

describe('a request on the terminal', () => {
  it('has the YES price where the relay sent it, for people and for programs', () => {
    const priced = { ...CALL_BUY, market: { ...CALL_BUY.market, yesPrice: 0.5884 } }
    expect(termsText(priced)).toBe('buy for $100.00 call $0.45 on "Will it rain?", YES at $0.59')
    expect(termsJson(priced)).toMatchObject({ market: { yesPrice: 0.5884 } })
    expect(termsText(CALL_BUY)).toBe('buy for $100.00 call $0.45 on "Will it rain?"')
    expect(termsJson(CALL_BUY).market).not.toHaveProperty('yesPrice')
  })
})
