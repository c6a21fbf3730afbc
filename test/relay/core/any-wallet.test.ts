import { describe, expect, it, vi } from 'vitest'
import { MAX_SIGNATURE_BYTES } from '../../../src/protocol/domain/signature.ts'
import type { Address, Hex } from '../../../src/protocol/domain/units.ts'
import type { Acceptance } from '../../../src/relay/core/ports/store.ts'
import { settle } from '../../support/fake-clock.ts'
import { recover } from '../../support/recover.ts'
import {
  createTestRelay,
  RELAY_SETTINGS,
  refusal,
  START_MS,
  TAKER,
  type TestMaker,
  type TestRelay,
  walletOf,
} from '../../support/test-relay.ts'

const WALLET: Address = '0x14dC79964da2C08b23698B3D3cc7Ca32193d9955'
const DAY_S = 86_400
const UNTIL = START_MS / 1_000 + DAY_S

/** How `ada` comes to sign for a wallet that is not its key's. */
const KINDS = {
  'a contract (ERC-1271)': ({ chain }: TestRelay) => {
    const takes = async (signature: Hex, hash: Hex) =>
      signature.length === 132 && (await recover(hash, signature)) === walletOf('ada')
    chain.contracts.set(WALLET, takes)
    return () => chain.contracts.delete(WALLET)
  },
  'a wallet that has authorised a key': ({ chain }: TestRelay) => {
    chain.authorised.set(WALLET, new Map([[walletOf('ada'), UNTIL]]))
    return () => chain.authorised.delete(WALLET)
  },
}

type Asked = { ada: TestMaker; quoteId: string; commit: ReturnType<TestRelay['commit']>; order: Acceptance['order'] }

/** A maker that is asked to sign for a wallet. */
async function asked(fixture: TestRelay, maker: Address = WALLET): Promise<Asked> {
  const ada = await fixture.connect('ada')
  const { requestId } = await fixture.open()
  const quoteId = await fixture.quote('ada', requestId, { maker })
  const commit = fixture.commit(requestId)
  await settle()
  return { ada, quoteId, commit, order: (ada.accepted()[0] as Acceptance).order }
}

const confirming = (fixture: TestRelay, quoteId: string, signature: string) =>
  fixture.relay.confirm({ makerId: 'ada', quoteId, signature })

/** A signature of 65 bytes that is nobody's. */
const bad = (i: number): Hex => `0x${`${i}`.padStart(2, '0').repeat(64)}1b`

/** Of what a maker's record says, what speaks against it. */
async function held({ relay }: TestRelay) {
  const { outcomes } = await relay.makerStanding('ada')
  const { missed = 0, bad_signature = 0 } = outcomes as Record<string, number>
  return { missed, bad_signature }
}

describe.each(Object.entries(KINDS))('%s', (_, give) => {
  it('confirms, and its taker gets what it signed (decision C15)', async () => {
    const fixture = createTestRelay()
    give(fixture)
    const { ada, commit, order } = await asked(fixture)
    await ada.confirm()
    const { execution } = await commit
    expect(execution.signature).toBe(await ada.sign())
    expect(execution.acceptance.order).toEqual(order)
    expect(order.maker).toBe(WALLET)
    expect(fixture.chain.checked).toEqual([execution.signature])
  })

  it('confirms again what was taken, also when it would not be taken any more', async () => {
    const fixture = createTestRelay()
    const revoke = give(fixture)
    const { ada, quoteId, commit } = await asked(fixture)
    const signature = await ada.sign()
    await Promise.all(Array.from({ length: 5 }, () => confirming(fixture, quoteId, signature)))
    await commit
    revoke()
    await confirming(fixture, quoteId, signature)
    await confirming(fixture, quoteId, `0x${signature.slice(2).toUpperCase()}`)
    expect(await refusal(confirming(fixture, quoteId, bad(11)))).toBe('no_pending_acceptance')
  })

  it('confirms again with another signature that counts', async () => {
    const fixture = createTestRelay()
    give(fixture)
    const { ada, quoteId, commit } = await asked(fixture)
    await ada.confirm()
    await commit
    fixture.chain.contracts.set(WALLET, (signature) => signature === '0x5afe')
    expect(await refusal(confirming(fixture, quoteId, '0x5afe'))).toBe('not refused')
  })

  it('is 503 while the node is down, which counts for nothing, and may confirm when it is up', async () => {
    const fixture = createTestRelay()
    give(fixture)
    const { ada, quoteId, commit } = await asked(fixture)
    const signature = await ada.sign()
    fixture.chain.down = true
    for (let i = 0; i < 20; i += 1)
      expect(await refusal(confirming(fixture, quoteId, signature))).toBe('chain_unavailable')
    fixture.chain.down = false
    expect(await refusal(confirming(fixture, quoteId, signature))).toBe('not refused')
    await commit
    expect(await held(fixture)).toEqual({ missed: 0, bad_signature: 0 })
  })

  it('has not missed when the node stays down', async () => {
    const fixture = createTestRelay()
    give(fixture)
    const { ada, quoteId, commit } = await asked(fixture)
    const outcome = refusal(commit)
    fixture.chain.down = true
    expect(await refusal(confirming(fixture, quoteId, await ada.sign()))).toBe('chain_unavailable')
    await fixture.clock.advance(60_000)
    expect(await outcome).toBe('no_maker_confirmed')
    expect(await held(fixture)).toEqual({ missed: 0, bad_signature: 0 })
  })

  it('is too late when the node answers after the deadline, and has not missed', async () => {
    const fixture = createTestRelay()
    give(fixture)
    const { ada, quoteId, commit } = await asked(fixture)
    const outcome = refusal(commit)
    const { signedUntil } = fixture.chain
    fixture.chain.signedUntil = async (...read) => {
      await fixture.clock.advance(RELAY_SETTINGS.makerConfirmationMs)
      return signedUntil(...read)
    }
    expect(await refusal(confirming(fixture, quoteId, await ada.sign()))).toBe('no_pending_acceptance')
    expect(await outcome).toBe('no_maker_confirmed')
    await fixture.clock.advance(60_000)
    expect(await held(fixture)).toEqual({ missed: 0, bad_signature: 0 })
  })

  it('makes its quote firm, which is looked at again when a commit takes it (decision F2)', async () => {
    const fixture = createTestRelay()
    give(fixture)
    const { requestId } = await fixture.open({ wallet: TAKER })
    const { order, signature } = await fixture.quoteFirm('ada', requestId, { maker: WALLET })
    expect(fixture.chain.checked).toEqual([signature])
    const { execution } = await fixture.commit(requestId)
    expect(execution).toMatchObject({ signature, acceptance: { order } })
    expect(fixture.chain.checked).toEqual([signature, signature])
  })

  it('does not trade by a firm signature that counts no more: the quote is withdrawn, and the next best is taken', async () => {
    const fixture = createTestRelay()
    const revoke = give(fixture)
    const { requestId } = await fixture.open({ wallet: TAKER })
    const { quoteId } = await fixture.quoteFirm('ada', requestId, { maker: WALLET, price: 110_000n as never })
    await fixture.quoteFirm('bob', requestId)
    revoke()
    expect((await fixture.commit(requestId)).execution.acceptance.makerId).toBe('bob')
    const passed = { kind: 'passed_over', quoteId, code: 'seal_revoked' }
    expect(fixture.auditLog).toContainEqual(expect.objectContaining(passed))
    expect(fixture.auditLog).toContainEqual(expect.objectContaining({ kind: 'quote_withdrawn', quoteId }))
    expect(await held(fixture)).toEqual({ missed: 0, bad_signature: 0 })
  })

  it('keeps its firm quote when the node is down as a commit would take it', async () => {
    const fixture = createTestRelay()
    give(fixture)
    const { requestId } = await fixture.open({ wallet: TAKER })
    await fixture.quoteFirm('ada', requestId, { maker: WALLET })
    const { signedUntil } = fixture.chain
    fixture.chain.signedUntil = async (...read) => {
      fixture.chain.down = true
      return Promise.resolve(signedUntil(...read)).finally(() => {
        fixture.chain.down = false
      })
    }
    expect(await refusal(fixture.commit(requestId))).toBe('chain_unavailable')
    fixture.chain.signedUntil = signedUntil
    expect((await fixture.commit(requestId)).execution.acceptance.makerId).toBe('ada')
  })

  it('reaches no log and no audit entry with what it signs, also when that is late or refused', async () => {
    const fixture = createTestRelay()
    const revoke = give(fixture)
    const { ada, quoteId, commit } = await asked(fixture)
    const outcome = refusal(commit)
    const signature = await ada.sign()
    revoke()
    await refusal(confirming(fixture, quoteId, signature))
    await fixture.clock.advance(RELAY_SETTINGS.makerConfirmationMs)
    await refusal(confirming(fixture, quoteId, signature))
    await outcome
    const said = JSON.stringify([fixture.log.lines, fixture.auditLog], (_, value) =>
      typeof value === 'bigint' ? `${value}` : value,
    )
    expect(said).toContain('signature_refused')
    expect(said).not.toContain(signature.slice(2, 60))
  })
})

describe('a key that a wallet has authorised', () => {
  const authorise = ({ chain }: TestRelay, until: number) =>
    chain.authorised.set(WALLET, new Map([[walletOf('ada'), until]]))

  it.each([
    [0, 'not refused'],
    [1, 'invalid_signature'],
  ] as const)('counts as long as the order can be filled: %s s less is %s', async (less, expected) => {
    const fixture = createTestRelay()
    const { ada, quoteId, order } = await asked(fixture)
    authorise(fixture, order.validUntil - less)
    expect(await refusal(confirming(fixture, quoteId, await ada.sign()))).toBe(expected)
    expect(await held(fixture)).toEqual({ missed: 0, bad_signature: less })
  })

  it('makes firm as long as the order can be filled, and a commit looks whether it still does', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open({ wallet: TAKER })
    const submission = { maker: WALLET, expiresInMs: 20_000 }
    authorise(fixture, UNTIL)
    const { order } = await fixture.quoteFirm('ada', requestId, submission)
    authorise(fixture, order.validUntil - 1)
    const other = await fixture.open({ wallet: TAKER })
    expect(await refusal(fixture.quoteFirm('ada', other.requestId, submission))).toBe('invalid_signature')
    expect(await refusal(fixture.commit(requestId))).toBe('no_valid_quotes')
    const again = await fixture.open({ wallet: TAKER })
    authorise(fixture, UNTIL)
    const taken = await fixture.quoteFirm('ada', again.requestId, submission)
    authorise(fixture, taken.order.validUntil)
    expect(await refusal(fixture.commit(again.requestId))).toBe('not refused')
  })

  it('signs in any form of a key, of which its taker gets the one that counts', async () => {
    const fixture = createTestRelay()
    authorise(fixture, UNTIL)
    const { ada, quoteId, commit } = await asked(fixture)
    const signature = await ada.sign()
    const legacy = `${signature.slice(0, -2)}${signature.endsWith('1b') ? '00' : '01'}`
    await confirming(fixture, quoteId, legacy)
    expect((await commit).execution.signature).toBe(signature)
    expect(fixture.chain.checked).toEqual([legacy, signature])
  })

  it('is not one of another wallet', async () => {
    const fixture = createTestRelay()
    authorise(fixture, UNTIL)
    const { ada, quoteId } = await asked(fixture, walletOf('bob'))
    expect(await refusal(confirming(fixture, quoteId, await ada.sign()))).toBe('invalid_signature')
  })
})

describe('the signature of a contract', () => {
  it.each([
    ['no bytes at all, as where its owners have approved on chain', '0x'],
    ['a key with v of 0, which only the contract reads', `0x${'11'.repeat(64)}00`],
    ['64 bytes', `0x${'22'.repeat(64)}`],
    ['the most bytes that are kept', `0x${'33'.repeat(MAX_SIGNATURE_BYTES)}`],
  ] as const)('may be %s, and is handed out as it came', async (_, signature) => {
    const fixture = createTestRelay()
    fixture.chain.contracts.set(WALLET, (given) => given === signature)
    const { quoteId, commit } = await asked(fixture)
    await confirming(fixture, quoteId, signature)
    expect((await commit).execution.signature).toBe(signature)
  })

  it.each([
    ['more bytes than are kept', `0x${'33'.repeat(MAX_SIGNATURE_BYTES + 1)}`],
    ['half a byte', '0x333'],
    ['other text', 'firm'],
  ])('is invalid with %s, for which nothing is read', async (_, signature) => {
    const fixture = createTestRelay()
    fixture.chain.contracts.set(WALLET, () => true)
    const { quoteId } = await asked(fixture)
    expect(await refusal(confirming(fixture, quoteId, signature))).toBe('invalid_signature')
    expect(fixture.chain.checked).toEqual([])
  })

  it('is refused with a sentence where the contract is still to be deployed (ERC-6492)', async () => {
    const fixture = createTestRelay()
    fixture.chain.contracts.set(WALLET, () => true)
    const { quoteId } = await asked(fixture)
    const wrapped = `0x${'44'.repeat(200)}${'6492'.repeat(16)}`
    await expect(confirming(fixture, quoteId, wrapped)).rejects.toMatchObject({
      code: 'invalid_signature',
      message: expect.stringContaining('deploy the wallet'),
    })
    const { requestId } = await fixture.open({ wallet: TAKER })
    const submission = { maker: WALLET, side: 'buy', price: 120_000n, size: 1_000n, expiresInMs: null } as never
    const quoted = await fixture.relay.submitQuote({
      makerId: 'ada',
      requestId,
      submission: { ...(submission as object), firm: true } as never,
    })
    const making = fixture.relay.makeQuoteFirm({ makerId: 'ada', quoteId: quoted.quoteId, signature: wrapped })
    await expect(making).rejects.toMatchObject({ message: expect.stringContaining('ERC-6492') })
    expect(fixture.chain.checked).toEqual([])
  })
})

describe('questions to the chain', () => {
  it('is nothing where the key of the maker signs: to confirm, again, to quote firm, to take', async () => {
    const fixture = createTestRelay()
    const { ada, quoteId, commit } = await asked(fixture, walletOf('ada'))
    await ada.confirm()
    await commit
    const looked = vi.spyOn(fixture.ports.store.executions, 'findByRequest')
    await confirming(fixture, quoteId, await ada.sign())
    expect(looked).not.toHaveBeenCalled()
    const { requestId } = await fixture.open({ wallet: TAKER })
    await fixture.quoteFirm('ada', requestId)
    await fixture.commit(requestId)
    expect(fixture.chain.checked).toEqual([])
  })

  it('is nothing in simulated mode, where keys alone sign (decision C12)', async () => {
    const fixture = createTestRelay({ mode: 'simulated' })
    fixture.chain.contracts.set(WALLET, () => true)
    const { ada, quoteId } = await asked(fixture)
    expect(await refusal(confirming(fixture, quoteId, await ada.sign()))).toBe('invalid_signature')
    expect(fixture.chain.checked).toEqual([])
  })

  it('are one signature of an order at a time, and eight failures', async () => {
    const fixture = createTestRelay()
    const { ada, quoteId, commit } = await asked(fixture)
    const { signedUntil } = fixture.chain
    let underWay = 0
    let most = 0
    fixture.chain.signedUntil = async (...read) => {
      underWay += 1
      most = Math.max(most, underWay)
      await settle()
      underWay -= 1
      return signedUntil(...read)
    }
    const confirms = Array.from({ length: 40 }, (_, i) => refusal(confirming(fixture, quoteId, bad(i + 1))))
    const refused = await Promise.all(confirms)
    expect(most).toBe(1)
    expect(fixture.chain.checked).toHaveLength(8)
    expect(new Set(refused)).toEqual(new Set(['invalid_signature', 'too_many_requests']))
    fixture.chain.authorised.set(WALLET, new Map([[walletOf('ada'), UNTIL]]))
    await expect(confirming(fixture, quoteId, await ada.sign())).rejects.toThrow(
      "8 signatures of this order were refused: from now on only one of the wallet's own key counts.",
    )
    expect(fixture.chain.checked).toHaveLength(8)
    const outcome = refusal(commit)
    await fixture.clock.advance(RELAY_SETTINGS.makerConfirmationMs)
    expect(await outcome).toBe('no_maker_confirmed')
  })

  it('is four firm quotes of a maker at a time, which do not hold up those of another, nor what a commit waits for', async () => {
    const fixture = createTestRelay()
    const owner = walletOf('cyd')
    fixture.chain.authorised.set(owner, new Map([walletOf('ada'), walletOf('bob')].map((key) => [key, UNTIL])))
    const { ada, quoteId, commit } = await asked(fixture, owner)
    const { signedUntil } = fixture.chain
    let letGo = () => {}
    const gate = new Promise<void>((resolve) => {
      letGo = resolve
    })
    let waiting = 0
    fixture.chain.signedUntil = async (...read) => {
      waiting += 1
      await gate
      return signedUntil(...read)
    }
    const requests = await Promise.all(Array.from({ length: 10 }, () => fixture.open({ wallet: TAKER })))
    const firmSignatures = requests.map(({ requestId }) => fixture.quoteFirm('ada', requestId, { maker: owner }))
    await expect.poll(() => waiting).toBe(4)
    const { requestId } = await fixture.open({ wallet: TAKER })
    const others = fixture.quoteFirm('bob', requestId, { maker: owner })
    await expect.poll(() => waiting).toBe(5)
    const confirm = confirming(fixture, quoteId, await ada.sign())
    await expect.poll(() => waiting).toBe(6)
    letGo()
    await Promise.all([...firmSignatures, others, confirm, commit])
    expect(fixture.chain.checked).toHaveLength(12)
  })
})
