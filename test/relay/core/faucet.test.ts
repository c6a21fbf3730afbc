import { describe, expect, it } from 'vitest'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import { type Address, usd6 } from '../../../src/protocol/domain/units.ts'
import type { Faucet } from '../../../src/relay/core/ports/chain.ts'
import { createTestRelay, refusal, TAKER } from '../../support/test-relay.ts'

/** A dispenser that counts its transfers, and fails while `fault` is set. */
function createFakeFaucet() {
  const state = { sent: 0, fault: null as Error | null }
  const faucet: Faucet = {
    balance: async () => null,
    send: async () => {
      if (state.fault !== null) throw state.fault
      state.sent += 1
      return '0x01'
    },
  }
  return { faucet, state }
}

const unavailable = () => new RfqError('faucet_unavailable')

describe('the faucet', () => {
  it('pays a wallet once in its cooldown, and says when the next turn is', async () => {
    const { faucet, state } = createFakeFaucet()
    const { relay, clock } = createTestRelay({ ports: { faucet } })
    expect(await relay.drip(TAKER)).toEqual({ amount: usd6(1_000_000_000n), txHash: '0x01' })
    await clock.advance(1)
    await expect(relay.drip(TAKER)).rejects.toMatchObject({ code: 'faucet_cooldown', data: { retryAfterS: 86_400 } })
    await clock.advance(86_399_999)
    await relay.drip(TAKER)
    expect(state.sent).toBe(2)
  })

  it('is closed where none is configured', async () => {
    expect(await refusal(createTestRelay().relay.drip(TAKER))).toBe('faucet_not_configured')
  })

  it('pays a wallet once, however many calls come at the same time and however its address is written (fault C16)', async () => {
    const { faucet, state } = createFakeFaucet()
    const { relay } = createTestRelay({ ports: { faucet } })
    const spellings = [TAKER, TAKER.toLowerCase(), `0x${TAKER.slice(2).toUpperCase()}`] as Address[]
    const codes = await Promise.all(
      Array.from({ length: 50 }, (_, i) => refusal(relay.drip(spellings[i % 3] as Address))),
    )
    expect(codes.filter((code) => code === 'not refused')).toHaveLength(1)
    expect(codes.filter((code) => code === 'faucet_cooldown')).toHaveLength(49)
    expect(state.sent).toBe(1)
  })

  it('pays no more wallets in an hour than it may, and others when the hour is over', async () => {
    const { faucet, state } = createFakeFaucet()
    const fixture = createTestRelay({ ports: { faucet }, settings: { faucetMaxPerHour: 3 } })
    const wallets = ['a1', 'a2', 'a3', 'a4', 'a5'].map((byte) => `0x${byte.repeat(20)}` as Address)
    const codes = []
    for (const wallet of wallets) codes.push(await refusal(fixture.relay.drip(wallet)))
    expect(codes).toEqual([...Array(3).fill('not refused'), 'faucet_exhausted', 'faucet_exhausted'])
    await expect(fixture.relay.drip(wallets[3] as Address)).rejects.toMatchObject({ data: { retryAfterS: 3_600 } })
    await fixture.clock.advance(3_600_000)
    expect(await refusal(fixture.relay.drip(wallets[3] as Address))).toBe('not refused')
    expect(await refusal(fixture.relay.drip(wallets[0] as Address))).toBe('faucet_cooldown')
    expect(state.sent).toBe(4)
  })

  it('remembers across a restart whom it has paid (decision S6)', async () => {
    const { faucet, state } = createFakeFaucet()
    const fixture = createTestRelay({ ports: { faucet } })
    await fixture.relay.drip(TAKER)
    const later = await fixture.restart()
    expect(await refusal(later.relay.drip(TAKER))).toBe('faucet_cooldown')
    expect(state.sent).toBe(1)
    later.relay.stop()
  })

  it('gives the turn back when the transfer fails, so that the next call is paid', async () => {
    const { faucet, state } = createFakeFaucet()
    const { relay } = createTestRelay({ ports: { faucet } })
    state.fault = unavailable()
    expect(await refusal(relay.drip(TAKER))).toBe('faucet_unavailable')
    state.fault = null
    expect(await refusal(relay.drip(TAKER))).toBe('not refused')
    expect(await refusal(relay.drip(TAKER))).toBe('faucet_cooldown')
  })

  it('says why it did not pay, also when the turn cannot be given back', async () => {
    const { faucet, state } = createFakeFaucet()
    const fixture = createTestRelay({ ports: { faucet } })
    fixture.ports.store.faucetClaims.release = () => Promise.reject(new RfqError('store_unavailable'))
    state.fault = unavailable()
    expect(await refusal(fixture.relay.drip(TAKER))).toBe('faucet_unavailable')
    expect(fixture.log.lines).toContainEqual(expect.objectContaining({ event: 'faucet_turn_lost' }))
  })

  it('takes no turn while the store cannot keep it', async () => {
    const { faucet, state } = createFakeFaucet()
    const fixture = createTestRelay({ ports: { faucet } })
    fixture.ports.store.faucetClaims.claim = () => Promise.reject(new RfqError('store_unavailable'))
    expect(await refusal(fixture.relay.drip(TAKER))).toBe('store_unavailable')
    expect(state.sent).toBe(0)
  })
})
