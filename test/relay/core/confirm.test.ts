import { describe, expect, it } from 'vitest'
import { settle } from '../../support/fake-clock.ts'
import { createTestRelay, refusal, type TestMaker, type TestRelay } from '../../support/test-relay.ts'

async function asked(
  fixture: TestRelay,
): Promise<{ ada: TestMaker; quoteId: string; commit: ReturnType<TestRelay['commit']> }> {
  const ada = await fixture.connect('ada')
  const { requestId } = await fixture.open()
  const quoteId = await fixture.quote('ada', requestId)
  const commit = fixture.commit(requestId)
  await settle()
  return { ada, quoteId, commit }
}

describe('a confirm', () => {
  it('for a foreign quote, an unknown one, or one that was not asked finds nothing to sign', async () => {
    const fixture = createTestRelay()
    const { ada, quoteId, commit } = await asked(fixture)
    const signature = await ada.sign()
    const idle = await fixture.quote('bob', (await fixture.open()).requestId)
    expect(await refusal(fixture.relay.confirm({ makerId: 'bob', quoteId, signature }))).toBe('no_pending_acceptance')
    expect(await refusal(fixture.relay.confirm({ makerId: 'ada', quoteId: 'none', signature }))).toBe(
      'no_pending_acceptance',
    )
    expect(await refusal(fixture.relay.confirm({ makerId: 'bob', quoteId: idle, signature }))).toBe(
      'no_pending_acceptance',
    )
    await ada.confirm()
    await commit
  })

  it('with a wrong signature is refused and leaves time for the right one', async () => {
    const fixture = createTestRelay()
    const { ada, quoteId, commit } = await asked(fixture)
    const bob = await fixture.connect('bob')
    const forged = await bob.sign(ada.accepted()[0])
    for (const signature of ['0x', `0x${'00'.repeat(65)}`, forged]) {
      expect(await refusal(fixture.relay.confirm({ makerId: 'ada', quoteId, signature }))).toBe('invalid_signature')
    }
    await ada.confirm()
    expect((await commit).execution.signature).toBe(await ada.sign())
  })

  it('on a node whose clock is behind that of the node which asked took no time, and not less', async () => {
    const fixture = createTestRelay()
    const { ada, commit } = await asked(fixture)
    const { clock } = fixture.ports
    const { now } = clock
    clock.now = () => now() - 5
    await ada.confirm()
    await commit
    const { quoteId, commit: second } = await asked(fixture)
    const refused = refusal(second)
    clock.now = () => now() - 50
    await fixture.relay.decline({ makerId: 'ada', quoteId, reason: null })
    expect(await refused).toBe('no_maker_confirmed')
    const waits = fixture.auditLog.flatMap((entry) => ('waitedMs' in entry ? [entry.waitedMs] : []))
    expect(waits).toEqual([0, 0])
  })

  it('repeated succeeds again; only what the signer could not have sent is refused', async () => {
    const fixture = createTestRelay()
    const { ada, quoteId, commit } = await asked(fixture)
    const signature = await ada.sign()
    const confirms = Array.from({ length: 50 }, () => fixture.relay.confirm({ makerId: 'ada', quoteId, signature }))
    await Promise.all(confirms)
    await commit
    await ada.confirm()
    expect(ada.messages.filter(({ kind }) => kind === 'confirmed')).toHaveLength(1)
    const forged = `0x${'11'.repeat(65)}`
    expect(await refusal(fixture.relay.confirm({ makerId: 'ada', quoteId, signature: forged }))).toBe(
      'no_pending_acceptance',
    )
  })

  it('answers its maker and the taker first: messages come after, and every call meanwhile finds the request closed', async () => {
    const fixture = createTestRelay()
    const { ada, quoteId, commit } = await asked(fixture)
    const { requestId } = (await fixture.ports.book.findQuote({ makerId: 'ada', quoteId })) ?? { requestId: '' }
    await fixture.relay.confirm({ makerId: 'ada', quoteId, signature: await ada.sign() })
    await commit
    expect(ada.messages.map(({ kind }) => kind)).toEqual(['accepted'])
    expect((await fixture.relay.readRequest({ requestId, takerSecret: null })).status).toBe('committed')
    await settle()
    expect(ada.messages.map(({ kind }) => kind)).toEqual(['accepted', 'confirmed'])
  })

  it('at the deadline to the millisecond is too late, one before it is not', async () => {
    for (const [early, expected] of [
      [1, 'not refused'],
      [0, 'no_pending_acceptance'],
    ] as const) {
      const fixture = createTestRelay()
      const { ada, commit } = await asked(fixture)
      const outcome = refusal(commit)
      await fixture.clock.advance(10_000 - early)
      expect(await refusal(ada.confirm())).toBe(expected)
      await fixture.clock.advance(1_000)
      await outcome
    }
  })

  it('too late is refused before its signature is looked at', async () => {
    const fixture = createTestRelay()
    const { quoteId, commit } = await asked(fixture)
    const outcome = refusal(commit)
    await fixture.clock.advance(10_000)
    expect(await refusal(fixture.relay.confirm({ makerId: 'ada', quoteId, signature: 'nonsense' }))).toBe(
      'no_pending_acceptance',
    )
    expect(await outcome).toBe('no_maker_confirmed')
  })

  it('is too late at the deadline even before the relay noticed that it passed', async () => {
    const fixture = createTestRelay()
    fixture.clock.schedule = () => () => {}
    const { quoteId } = await asked(fixture)
    await fixture.clock.advance(10_000)
    const late = fixture.relay.confirm({ makerId: 'ada', quoteId, signature: 'nonsense' })
    expect(await refusal(late)).toBe('no_pending_acceptance')
  })
})

describe('a decline', () => {
  it('for a quote that is not out for signature finds nothing to decline', async () => {
    const fixture = createTestRelay()
    const { ada, quoteId, commit } = await asked(fixture)
    expect(await refusal(fixture.relay.decline({ makerId: 'bob', quoteId }))).toBe('no_pending_acceptance')
    await ada.confirm()
    await commit
    expect(await refusal(fixture.relay.decline({ makerId: 'ada', quoteId }))).toBe('no_pending_acceptance')
  })
})

describe('a confirm that is repeated at the deadline', () => {
  it('is answered as the first one is, which the store took in time and is still writing', async () => {
    const fixture = createTestRelay()
    const { ada, quoteId, commit } = await asked(fixture)
    const signature = await ada.sign()
    const { clock, ports } = fixture
    const { confirm, end, findByQuote } = ports.store.acceptances
    let writing: Promise<void> | null = null
    // As any durable store: nobody sees a change before it is written, and changes are made one after the other.
    Object.assign(ports.store.acceptances, {
      confirm: async (...args: Parameters<typeof confirm>) => {
        const execution = await confirm(...args)
        writing = new Promise((resolve) => void clock.schedule(clock.now() + 50, resolve))
        await writing
        writing = null
        return execution
      },
      end: async (...args: Parameters<typeof end>) => {
        await writing
        return end(...args)
      },
      findByQuote: async (id: string) => {
        const acceptance = await findByQuote(id)
        return acceptance === null || writing === null ? acceptance : { ...acceptance, state: 'pending' }
      },
    })
    await clock.advance(9_990)
    const first = refusal(fixture.relay.confirm({ makerId: 'ada', quoteId, signature }))
    await settle()
    await clock.advance(10)
    const again = refusal(fixture.relay.confirm({ makerId: 'ada', quoteId, signature }))
    await clock.advance(200)
    expect([await first, await again]).toEqual(['not refused', 'not refused'])
    await commit
  })
})
