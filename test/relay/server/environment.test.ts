import { describe, expect, test } from 'vitest'
import { createTakerClient } from '../../../src/client/taker.ts'
import { encodeVerifierKey } from '../../../src/protocol/domain/checkpoint.ts'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { decodeEnvironment } from '../../../src/protocol/wire/environment.ts'
import type { Faucet } from '../../../src/relay/core/ports/chain.ts'
import { START_MS } from '../../support/test-relay.ts'
import { startServer } from './support.ts'

const SANDBOX = { call: async () => [], warp: async () => 0 }

describe('the environment of a relay', () => {
  test('is what its client reads', async () => {
    const faucet: Faucet = { send: async () => '0x', balance: async () => null }
    const { url, relay } = await startServer({
      sandbox: SANDBOX,
      server: { relayerUrl: 'https://relayer.example' },
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
      logKeys: relay.transparency.keys.map(encodeVerifierKey),
    })
  })

  test('says that commits must prove their wallets, and is read of a relay that is older than proofs', async () => {
    const { call } = await startServer({ relay: { commitProof: 'required' } })
    const { body } = await call('GET', '/v1/environment')
    expect(decodeEnvironment(body)).toMatchObject({ commitProof: 'required' })
    const { commitProof: _, logKeys: __, ...older } = body as Record<string, unknown>
    expect(decodeEnvironment(older)).toMatchObject({ commitProof: null, logKeys: [] })
  })

  test('has no faucet, relayer or sandbox without them, and still answers while the chain cannot be read', async () => {
    const { call, chain } = await startServer()
    const { status, body } = await call('GET', '/v1/environment')
    expect({ status, body }).toMatchObject({ status: 200, body: { faucet: null, relayerUrl: null, sandbox: false } })
    chain.down = true
    expect(await call('GET', '/v1/environment')).toMatchObject({ status: 200, body: { chainTime: null } })
  })
})
