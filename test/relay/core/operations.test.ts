import { describe, expect, it } from 'vitest'
import { type Usd6, usd6 } from '../../../src/protocol/domain/units.ts'
import { settle } from '../../support/fake-clock.ts'
import { createTestRelay, refusal, TAKER } from '../../support/test-relay.ts'

describe('health', () => {
  it('is ready when store, bus and chain answer', async () => {
    const { operations, relay } = createTestRelay()
    await relay.joinMakerStream('ada', { connectionId: 'a', hears: { packages: false, twoSided: false } })
    expect(await operations.health()).toMatchObject({
      isReady: true,
      parts: { store: { state: 'up' }, bus: { state: 'up' }, chain: { state: 'up' } },
      head: { block: 7, ageMs: 0 },
      makersConnected: 1,
      vitals: { droppedSlow: 0 },
    })
  })

  it('is not ready without its chain, and says why', async () => {
    const { operations, chain } = createTestRelay()
    chain.down = true
    expect(await operations.health()).toMatchObject({
      isReady: false,
      parts: { store: { state: 'up' }, chain: { state: 'down', detail: 'The chain cannot be read.' } },
      head: null,
    })
  })

  it('needs no chain in simulated mode', async () => {
    const { operations } = createTestRelay({ mode: 'simulated' })
    expect(await operations.health()).toMatchObject({ isReady: true, parts: { chain: { state: 'off' } }, head: null })
  })

  it('is not ready once the head is older than the setting, which 0 turns off', async () => {
    const strict = createTestRelay({ operations: { headStaleMs: 30_000 } })
    strict.chain.behindS = 30
    expect(await strict.operations.health()).toMatchObject({ isReady: true })
    strict.chain.behindS = 31
    await strict.clock.advance(1_000)
    expect(await strict.operations.health()).toMatchObject({
      isReady: false,
      parts: { chain: { state: 'down', detail: 'the last block is 31 s old' } },
      head: { ageMs: 31_000 },
    })
    const lax = createTestRelay()
    lax.chain.behindS = 3_600
    expect(await lax.operations.health()).toMatchObject({ isReady: true, head: { ageMs: 3_600_000 } })
  })

  it('takes a part that does not answer within 2 s for down', async () => {
    const { operations, chain, clock } = createTestRelay()
    chain.head = () => new Promise(() => {})
    const health = operations.health()
    await clock.advance(2_000)
    expect((await health).parts.chain).toMatchObject({ state: 'down', tookMs: 2_000 })
  })
})

describe('metrics', () => {
  it('are given what can be read, and null for what cannot', async () => {
    const fixture = createTestRelay()
    await fixture.open()
    fixture.chain.down = true
    expect(JSON.parse((await fixture.operations.metrics()).text)).toEqual({
      up: { store: true, bus: true, chain: false },
      headAgeMs: null,
      orderWatchLagBlocks: null,
      makersConnected: 0,
      openRequests: 1,
      isSignerActive: null,
      storeDocumentBytes: null,
      reviewsPending: 0,
      rolesPending: null,
      makersSuspended: 0,
      faucetBalance: null,
    })
  })

  it('read what the faucet has once a minute, and wait for it never', async () => {
    const asked: ((left: Usd6) => void)[] = []
    const balance = () => new Promise<Usd6>((resolve) => asked.push(resolve))
    const fixture = createTestRelay({ ports: { faucet: { balance, send: async () => '0x01' } } })
    const told = async () => JSON.parse((await fixture.operations.metrics()).text).faucetBalance
    expect([await told(), await told(), asked.length]).toEqual([null, null, 1])
    asked[0]?.(usd6(7_000_000n))
    await fixture.clock.advance(59_999)
    expect([await told(), asked.length]).toEqual(['7000000', 1])
    await fixture.clock.advance(1)
    expect([await told(), asked.length]).toEqual(['7000000', 2])
    await fixture.clock.advance(120_000)
    expect([await told(), asked.length]).toEqual(['7000000', 2])
  })

  it('tell whether the core believes what this relay signs', async () => {
    const fixture = createTestRelay()
    const told = async () => JSON.parse((await fixture.operations.metrics()).text).isSignerActive
    expect(await told()).toBe(true)
    fixture.chain.signer = TAKER
    await fixture.clock.advance(1_000)
    expect(await told()).toBe(false)
    const unsigned = createTestRelay({ ports: { resolutionSigner: null } })
    expect(JSON.parse((await unsigned.operations.metrics()).text).isSignerActive).toBeNull()
  })

  it('and health cost the parts one question a second, however many ask', async () => {
    const fixture = createTestRelay()
    let questions = 0
    const { head } = fixture.chain
    fixture.chain.head = () => {
      questions += 1
      return head()
    }
    const ask = () =>
      Promise.all([fixture.operations.health(), fixture.operations.metrics(), fixture.operations.feed.open(null)])
    await Promise.all(Array.from({ length: 50 }, ask))
    expect(questions).toBe(1)
    await fixture.clock.advance(999)
    await ask()
    expect(questions).toBe(1)
    await fixture.clock.advance(1)
    await ask()
    expect(questions).toBe(2)
  })
})

describe('the audit log of a request', () => {
  it('comes from the store, and is refused for an unknown request', async () => {
    const { operations, open } = createTestRelay()
    const { requestId } = await open()
    await settle()
    expect(await operations.auditLogOf(requestId)).toMatchObject([{ kind: 'opened', requestId }])
    expect(await refusal(operations.auditLogOf('nobody'))).toBe('request_not_found')
  })
})
