import { describe, expect, it } from 'vitest'
import { commitmentLines } from '../../src/cli/show/show-trade.ts'
import { dueJson, dueLine, partnerIn } from '../../src/cli/taker/partner.ts'
import { createColors } from '../../src/cli/terminal/colors.ts'
import { usd6 } from '../../src/client/index.ts'
import { commitment, commitmentOf, soldQuote, soldRequest } from '../web/trade-samples.ts'

const partnerFee = { recipient: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', bps: 25 } as const
const [bought, sold] = [true, false].map((makerSelling) => ({ premiumAmount: usd6(100_000_000n), makerSelling }))

describe('a partner on the command line', () => {
  const { recipient } = partnerFee

  it('is an address and basis points', () => {
    expect(partnerIn({ partnerFee: `${recipient}:25` })).toEqual(partnerFee)
    expect(partnerIn({})).toBeNull()
  })

  it.each([
    '',
    recipient,
    '25',
    `${recipient}:501`,
    `${recipient}:0`,
    `${recipient}:0.25`,
    `${recipient.replace('C8', 'c8')}:25`,
  ])('is not read from %j', (text) =>
    expect(() => partnerIn({ partnerFee: text })).toThrow('--partner-fee is not an address and basis points'),
  )
})

describe('premium, fees and total', () => {
  it.each([
    ['a buyer pays all of them', bought, null, 'partner fee $0.25 to', 'you pay $100.25 in all', 100.25],
    ['a seller gets what is left', sold, null, 'partner fee $0.25 to', 'you get $99.75 in all', 99.75],
    ['with a relayer, of a buyer', bought, usd6(50_000n), "relayer's fee $0.05", 'you pay $100.30 in all', 100.3],
    ['with a relayer, of a seller', sold, usd6(50_000n), "relayer's fee $0.05", 'you get $99.70 in all', 99.7],
  ])('%s', (_, order, relayerFee, fee, all, total) => {
    if (order === undefined) throw new Error('no order')
    const line = dueLine(order, { partnerFee, relayerFee })
    expect(line).toContain('premium $100.00, ')
    expect(line).toContain(fee)
    expect(line).toContain(all)
    expect(dueJson(order, { partnerFee, relayerFee })).toEqual({
      premium: 100,
      partner: partnerFee.recipient,
      ...(relayerFee === null ? {} : { fee: 0.05 }),
      partnerFee: 0.25,
      total,
    })
  })

  it('are part of the approval of a buyer, and not of the collateral of a seller', () => {
    const colors = createColors(false)
    const premium = commitment.onchain?.order.premiumAmount ?? usd6(0n)
    expect(premium).toBe(249_996_000n)
    expect(commitmentLines(commitment, colors, partnerFee)[1]).toContain(
      'approve $250.620990 of premium and partner fee',
    )
    expect(commitmentLines(commitment, colors)[1]).toContain('approve $249.9960 of premium, by')
    const written = commitmentOf(soldRequest, soldQuote)
    const { onchain } = written
    if (onchain === null) throw new Error('simulated')
    const owed = {
      ...written,
      onchain: { ...onchain, takerApproval: { ...onchain.takerApproval, reason: 'collateral' } },
    }
    expect(commitmentLines(owed as typeof written, colors, partnerFee)[1]).not.toContain('partner')
  })

  it('are not said without a partner', () => {
    if (bought === undefined) throw new Error('no order')
    expect(dueLine(bought, { partnerFee: null, relayerFee: usd6(1n) })).toBeNull()
    expect(dueJson(bought, { partnerFee: null, relayerFee: usd6(1n) })).toEqual({})
  })
})
