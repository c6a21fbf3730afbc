import { describe, expect, test } from 'vitest'
import { createTakerClient } from '../../../src/client/taker.ts'
import { encodeVerifierKey } from '../../../src/protocol/domain/checkpoint.ts'
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
    const { url, relay, transparency } = await startServer({
      sandbox: SANDBOX,
      server: {
        relayerUrl: 'https://relayer.example',
        formerSettlementAddresses: [FORMER],
        partnerFee: PARTNER_FEE,
        explorerUrl: 'https://polygonscan.com',
      },
      fixture: { ports: { faucet }, hasTransparencyLog: true },
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
      logKeys: transparency.keys.map(encodeVerifierKey),
      explorerUrl: 'https://polygonscan.com',
      privateFields: ['makers', 'exceptMakers', 'blind', 'standing'],
      twoSided: true,
    })
  })

  test('has no word of a partner where there is none, as of a relay that is older than partners', async () => {
    const { call } = await startServer()
    const { body } = await call('GET', '/v1/environment')
    expect(body).not.toHaveProperty('partnerFee')
    expect(decodeEnvironment(body)).toMatchObject({ partnerFee: null })
  })

  test('has no word of an explorer where there is none, and is not read with one that is no web page', async () => {
    const { call } = await startServer()
    const { body } = await call('GET', '/v1/environment')
    expect(body).not.toHaveProperty('explorerUrl')
    expect(decodeEnvironment(body)).toMatchObject({ explorerUrl: null })
    const explorerUrl = 'javascript:alert(1)//'
    expect(() => decodeEnvironment({ ...(body as object), explorerUrl })).toThrow('explorerUrl')
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
    const {
      commitProof: _,
      logKeys: __,
      privateFields: ___,
      twoSided: ____,
      ...older
    } = body as Record<string, unknown>
    expect(decodeEnvironment(older)).toMatchObject({
      commitProof: null,
      formerSettlementAddresses: [],
      logKeys: [],
      privateFields: [],
      twoSided: false,
    })
  })

  test('has no transparency log, and no route of one, where it is not switched on', async () => {
    const { call } = await startServer()
    expect((await call('GET', '/v1/environment')).body).not.toHaveProperty('logKeys')
    const unknown = await call('GET', '/v1/unknown')
    expect(unknown.status).toBe(404)
    for (const path of ['/v1/log/checkpoint', '/v1/log/tile/0/000.p/1', '/v1/quote-requests/r1/transcript'])
      expect(await call('GET', path)).toMatchObject({
        status: 404,
        body: { code: (unknown.body as { code: string }).code },
      })
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
