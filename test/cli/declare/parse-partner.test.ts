import { describe, expect, it } from 'vitest'
import { parsePartner } from '../../../src/cli/declare/parse.ts'

const PARTNER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

describe('a partner on the command line', () => {
  it('is an address and basis points', () => {
    expect(parsePartner(`${PARTNER}:25`)).toEqual({ recipient: PARTNER, bps: 25 })
  })

  it.each(['', PARTNER, '25', `${PARTNER}:501`, `${PARTNER}:0`, `${PARTNER}:0.25`])('is not read from %j', (text) => {
    expect(() => parsePartner(text)).toThrow('Expected an address and 1 to 500 basis points')
  })
})
