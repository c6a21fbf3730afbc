import { describe, expect, test } from 'vitest'
import { createTakerClient } from '../../../src/client/taker.ts'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { decodeEnvironment } from '../../../src/protocol/wire/environment.ts'
import type { Faucet } from '../../../src/relay/core/ports/chain.ts'
import { START_MS } from '../../support/test-relay.ts'
import { startServer } from './support.ts'

const FORMER = '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0'
const PARTNER_FEE = { recipient: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', bps: 25 } as const

const SANDBOX = { call: async () => [], warp: async () => 0 }

describe('the environment of a relay', () => {
  test('is what its client reads', async () => {
    const faucet: Faucet = { send: async () => '0x', balance: async () => null }
    const { url, relay } = await startServer({
      sandbox: SANDBOX,
      server: { relayerUrl: 'https://relayer.example', formerSettlementAddresses: [FORMER], partnerFee: PARTNER_FEE },
      fixture: { ports: { faucet } },
    })
    const taker = createTakerClient({ url })
    expect(await taker.getEnvironment()).toEqual({
      mode: 'onchain',
      ...relay.environment,
      chainTime: START_MS / 1_000,
      faucet: { amount: usd6(1_000_000_000n), cooldownMs: 86_400_000 },
      relayerUrl: 'https://relayer.example',
      sandbox: true,
      commitProof: 'optional',
      formerSettlementAddresses: [FORMER],
      partnerFee: PARTNER_FEE,
    })
  })

  test('has no word of a partner where there is none, as of a relay that is older than partners', async () => {
    const { call } = await startServer()
    const { body } = await call('GET', '/v1/environment')
    expect(body).not.toHaveProperty('partnerFee')
    expect(decodeEnvironment(body)).toMatchObject({ partnerFee: null })
  })

  test.each([0, 501, 2.5])('is not read with a share of %s basis points', async (bps) => {
    const { call } = await startServer()
    const { body } = await call('GET', '/v1/environment')
    const partnerFee = { ...PARTNER_FEE, bps }
    expect(() => decodeEnvironment({ ...(body as object), partnerFee })).toThrow('partnerFee.bps')
  })

  test('says that commits must prove their wallets, and is read of a relay that is older than proofs', async () => {
    const { call } = await startServer({ relay: { commitProof: 'required' } })
    const { body } = await call('GET', '/v1/environment')
    expect(decodeEnvironment(body)).toMatchObject({ commitProof: 'required' })
    const { commitProof: _, ...older } = body as Record<string, unknown>
    expect(decodeEnvironment(older)).toMatchObject({ commitProof: null, formerSettlementAddresses: [] })
  })

  test('has no faucet, relayer or sandbox without them, and still answers while the chain cannot be read', async () => {
    const { call, chain } = await startServer()
    const { status, body } = await call('GET', '/v1/environment')
    expect({ status, body }).toMatchObject({ status: 200, body: { faucet: null, relayerUrl: null, sandbox: false } })
    // As specified where the operator has set none.
    expect(body).not.toHaveProperty('formerSettlementAddresses')
    chain.down = true
    expect(await call('GET', '/v1/environment')).toMatchObject({ status: 200, body: { chainTime: null } })
  })
})
