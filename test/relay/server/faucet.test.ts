import { describe, expect, it } from 'vitest'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import type { Faucet } from '../../../src/relay/core/ports/chain.ts'
import { startServer } from './support.ts'

/** A faucet of so many drips an hour for each client, which a proxy names; `fail` makes it pay no more. */
async function startFaucet({ perHour, ofOwnMachine = perHour }: { perHour: number; ofOwnMachine?: number }) {
  let fault: Error | null = null
  const send: Faucet['send'] = async () => (fault === null ? '0x01' : Promise.reject(fault))
  const { call, clock } = await startServer({
    server: { faucetShare: { perHour, ofOwnMachine }, trustProxy: '127.0.0.1' },
    fixture: { ports: { faucet: { balance: async () => null, send } } },
  })
  let wallets = 0
  return {
    clock,
    fail: (cause: Error | null) => {
      fault = cause
    },
    dripFor: async (client: string, count = 1) => {
      const statuses: number[] = []
      for (let n = 0; n < count; n += 1) {
        wallets += 1
        const body = { wallet: `0x${wallets.toString(16).padStart(40, '0')}` }
        const headers = { 'x-forwarded-for': client }
        statuses.push((await call('POST', '/faucet', { body, headers })).status)
      }
      return statuses
    },
    refusalFor: (client: string) =>
      call('POST', '/faucet', { body: { wallet: `0x${'7'.repeat(40)}` }, headers: { 'x-forwarded-for': client } }),
  }
}

describe('the share of an address in the faucet (protocol faucet-3)', () => {
  it('is so many wallets in an hour, and no other address goes short of it', async () => {
    const { dripFor, refusalFor, clock } = await startFaucet({ perHour: 3 })
    expect(await dripFor('203.0.113.1', 5)).toEqual([200, 200, 200, 429, 429])
    expect(await dripFor('203.0.113.2', 3)).toEqual([200, 200, 200])
    const refused = await refusalFor('203.0.113.1')
    expect(refused.body).toMatchObject({ code: 'faucet_exhausted', retryAfterS: 1_200 })
    expect(refused.body.error).toMatch(/^This address has had its share/)
    await clock.advance(3_600_000)
    expect(await dripFor('203.0.113.1', 4)).toEqual([200, 200, 200, 429])
  })

  it('is that of an IPv6 /48, which has 65,536 addresses that count as clients elsewhere', async () => {
    const { dripFor } = await startFaucet({ perHour: 2 })
    const statuses = [1, 2, 3].map((n) => dripFor(`2001:db8:7:${n}::1`))
    expect((await Promise.all(statuses)).flat().sort()).toEqual([200, 200, 429])
    expect(await dripFor('2001:db8:8:1::1')).toEqual([200])
  })

  it('is not used up by a drip that fails', async () => {
    const { dripFor, fail } = await startFaucet({ perHour: 1 })
    fail(new RfqError('faucet_unavailable'))
    expect(await dripFor('203.0.113.1', 3)).toEqual([503, 503, 503])
    fail(null)
    expect(await dripFor('203.0.113.1', 2)).toEqual([200, 429])
  })

  it('is one of their own for programs of this machine, which leave something to others', async () => {
    const { dripFor } = await startFaucet({ perHour: 1, ofOwnMachine: 3 })
    expect(await dripFor('127.0.0.1', 4)).toEqual([200, 200, 200, 429])
    expect(await dripFor('127.0.0.2', 2)).toEqual([200, 429])
  })
})
