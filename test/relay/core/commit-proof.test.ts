import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import type { CommitTerms } from '../../../src/protocol/domain/commit.ts'
import { commitTypedData, type ProvenCommit } from '../../../src/protocol/domain/commit-proof.ts'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import { orderDomain, type TypedDataDomain } from '../../../src/protocol/domain/order.ts'
import { MAX_SIGNATURE_BYTES } from '../../../src/protocol/domain/signature.ts'
import { type Address, contracts, type Hex, usd6 } from '../../../src/protocol/domain/units.ts'
import { settle } from '../../support/fake-clock.ts'
import { recover } from '../../support/recover.ts'
import { createTestRelay, OTHER_TAKER, refusal, START_MS, type TestRelay, walletOf } from '../../support/test-relay.ts'

const key = privateKeyToAccount(`0x${'0a'.repeat(32)}`)
const stranger = privateKeyToAccount(`0x${'0b'.repeat(32)}`)
const SAFE: Address = '0x14dC79964da2C08b23698B3D3cc7Ca32193d9955'
const NO_PROTECTIONS = { limitPrice: null, minContracts: null, expectedQuoteId: null }

/** How a wallet comes to be shown by what `key` signs. */
const KINDS = {
  'a key': () => key.address,
  'an account that has delegated its code (EIP-7702), by its key': ({ chain }: TestRelay) => {
    chain.contracts.set(key.address, () => false)
    return key.address
  },
  'a contract (ERC-1271)': ({ chain }: TestRelay) => {
    chain.contracts.set(SAFE, async (signature: Hex, hash: Hex) => (await recover(hash, signature)) === key.address)
    return SAFE
  },
  'a wallet that has authorised a key': ({ chain }: TestRelay) => {
    chain.authorised.set(SAFE, new Map([[key.address, START_MS / 1_000]]))
    return SAFE
  },
} satisfies Record<string, (fixture: TestRelay) => Address>

const domainOf = ({ chain }: TestRelay): TypedDataDomain =>
  orderDomain(chain.environment.chainId, chain.environment.settlementAddress)

const proofOf = (fixture: TestRelay, commit: ProvenCommit, signer = key): Promise<Hex> =>
  signer.signTypedData(commitTypedData(commit, domainOf(fixture)))

const committing = (
  { relay }: TestRelay,
  input: { requestId: string; terms: CommitTerms; proof?: string | null; clientAddress?: string },
) => relay.commit({ takerSecret: null, ...input })

/** A request with a quote of ada, who has a socket. */
async function quoted(fixture: TestRelay) {
  const ada = await fixture.connect('ada')
  const { requestId } = await fixture.open()
  await fixture.quote('ada', requestId)
  return { ada, requestId }
}

/** Commits with a proof and has ada sign. */
async function proven(fixture: TestRelay, wallet: Address) {
  const { ada, requestId } = await quoted(fixture)
  const terms = { ...NO_PROTECTIONS, wallet }
  const proof = await proofOf(fixture, { ...terms, requestId })
  const commit = committing(fixture, { requestId, terms, proof })
  await expect.poll(() => ada.accepted()).toHaveLength(1)
  await ada.confirm()
  return { commitment: await commit, requestId, terms, proof }
}

describe.each(Object.entries(KINDS))('%s', (_, give) => {
  it('proves a commit, and its order says so to whom the wallet of the maker owes (decision C16)', async () => {
    const fixture = createTestRelay()
    const { commitment } = await proven(fixture, give(fixture))
    expect(commitment.execution.acceptance.proven).toBe(true)
    const { orders } = await fixture.ports.store.acceptances.outstandingOf(walletOf('ada'), 0)
    expect(orders).toMatchObject([{ isProven: true }])
  })

  it('does not prove one with the signature of someone else', async () => {
    const fixture = createTestRelay()
    const { requestId } = await quoted(fixture)
    const terms = { ...NO_PROTECTIONS, wallet: give(fixture) }
    const proof = await proofOf(fixture, { ...terms, requestId }, stranger)
    await expect(committing(fixture, { requestId, terms, proof })).rejects.toMatchObject({
      code: 'invalid_signature',
      message: `The proof is not a signature of this commit by the wallet ${terms.wallet}.`,
    })
  })

  it('proves nothing but what it signed: not another request, wallet, limit, chain or contract', async () => {
    const fixture = createTestRelay()
    const wallet = give(fixture)
    const { requestId } = await quoted(fixture)
    const signed = { ...NO_PROTECTIONS, wallet, requestId }
    const domain = domainOf(fixture)
    const others: [ProvenCommit, TypedDataDomain][] = [
      [{ ...signed, requestId: (await fixture.open()).requestId }, domain],
      [{ ...signed, wallet: OTHER_TAKER }, domain],
      [{ ...signed, limitPrice: usd6(120_000n) }, domain],
      [{ ...signed, minContracts: contracts(1n) }, domain],
      [{ ...signed, expectedQuoteId: requestId }, domain],
      [{ ...signed, firmOnly: true }, domain],
      [signed, { ...domain, chainId: 1 }],
      [signed, { ...domain, verifyingContract: fixture.chain.environment.coreAddress }],
    ]
    for (const [commit, ofDomain] of others) {
      const proof = await key.signTypedData(commitTypedData(commit, ofDomain))
      expect(await refusal(committing(fixture, { requestId, terms: { ...NO_PROTECTIONS, wallet }, proof }))).toBe(
        'invalid_signature',
      )
    }
  })

  it('proves a commit that closes on a firm quote, too', async () => {
    const fixture = createTestRelay()
    const wallet = give(fixture)
    const { requestId } = await fixture.open({ wallet })
    await fixture.quoteFirm('ada', requestId)
    const terms = { ...NO_PROTECTIONS, wallet, firmOnly: true }
    const proof = await proofOf(fixture, { ...terms, requestId })
    const { execution } = await committing(fixture, { requestId, terms, proof })
    expect(execution.acceptance.proven).toBe(true)
  })
})

describe('a commit without a proof', () => {
  it('trades as it always did, and its order is of a taker that nothing shows', async () => {
    const fixture = createTestRelay()
    const { ada, requestId } = await quoted(fixture)
    const commit = fixture.commit(requestId, {}, { isProven: false })
    await settle()
    await ada.confirm()
    expect((await commit).execution.acceptance).not.toHaveProperty('proven')
    const { orders } = await fixture.ports.store.acceptances.outstandingOf(walletOf('ada'), 0)
    expect(orders).toMatchObject([{ isProven: false }])
    expect(fixture.chain.checked).toEqual([])
  })

  it('is joined by the same one with a proof, and both get the one order', async () => {
    const fixture = createTestRelay()
    const { ada, requestId } = await quoted(fixture)
    const terms = { ...NO_PROTECTIONS, wallet: key.address }
    const plain = committing(fixture, { requestId, terms })
    await expect.poll(() => ada.accepted()).toHaveLength(1)
    const joined = committing(fixture, { requestId, terms, proof: await proofOf(fixture, { ...terms, requestId }) })
    await settle()
    await ada.confirm()
    expect((await joined).execution).toEqual((await plain).execution)
    expect(ada.accepted()).toHaveLength(1)
  })

  it.each([
    [true, 'not refused'],
    [false, 'proof_required'],
  ])(
    'refused for want of one, while the same one with a proof waits (%s): that one is %s',
    async (isProven, expected) => {
      const fixture = createTestRelay()
      const { ada, requestId } = await quoted(fixture)
      const terms = { ...NO_PROTECTIONS, wallet: key.address }
      const { funds } = fixture.chain
      let refuse = () => {}
      fixture.chain.funds = () =>
        new Promise((_, reject) => {
          refuse = () => reject(new RfqError('proof_required'))
        })
      const plain = refusal(committing(fixture, { requestId, terms }))
      await settle()
      const proof = isProven ? await proofOf(fixture, { ...terms, requestId }) : null
      const joined = refusal(committing(fixture, { requestId, terms, proof }))
      await settle()
      fixture.chain.funds = funds
      refuse()
      expect(await plain).toBe('proof_required')
      if (isProven) {
        await expect.poll(() => ada.accepted()).toHaveLength(1)
        await ada.confirm()
        expect(ada.accepted()).toMatchObject([{ proven: true }])
      }
      expect(await joined).toBe(expected)
    },
  )
})

describe('a relay that requires a proof', () => {
  const settings = { commitProof: 'required' } as const

  it('refuses a commit without one before anyone is asked, and takes one with it', async () => {
    const fixture = createTestRelay({ settings })
    const { ada, requestId } = await quoted(fixture)
    expect(await refusal(fixture.commit(requestId, {}, { isProven: false }))).toBe('proof_required')
    expect(ada.accepted()).toEqual([])
    expect((await proven(fixture, key.address)).commitment.execution.acceptance.proven).toBe(true)
  })

  it('refuses one that would resume or join a proven one, and one that would close on a firm quote', async () => {
    const fixture = createTestRelay({ settings })
    const { requestId, terms, proof } = await proven(fixture, key.address)
    expect(await refusal(committing(fixture, { requestId, terms }))).toBe('proof_required')
    expect(await refusal(committing(fixture, { requestId, terms, proof }))).toBe('not refused')

    const { ada, requestId: running } = await quoted(fixture)
    const first = committing(fixture, {
      requestId: running,
      terms,
      proof: await proofOf(fixture, { ...terms, requestId: running }),
    })
    await expect.poll(() => ada.accepted()).toHaveLength(1)
    expect(await refusal(committing(fixture, { requestId: running, terms }))).toBe('proof_required')
    await ada.confirm()
    await first

    const { requestId: firm } = await fixture.open({ wallet: key.address })
    await fixture.quoteFirm('ada', firm)
    expect(await refusal(committing(fixture, { requestId: firm, terms }))).toBe('proof_required')
  })
})

describe('the cost of a proof', () => {
  it('is no look at the chain for a key, nor in simulated mode, where keys alone prove (decision C12)', async () => {
    const fixture = createTestRelay()
    await proven(fixture, key.address)
    const simulated = createTestRelay({ mode: 'simulated' })
    await proven(simulated, key.address)
    simulated.chain.contracts.set(SAFE, () => true)
    const { requestId } = await quoted(simulated)
    const commit = committing(simulated, { requestId, terms: { ...NO_PROTECTIONS, wallet: SAFE }, proof: '0x5afe' })
    expect(await refusal(commit)).toBe('invalid_signature')
    expect([...fixture.chain.checked, ...simulated.chain.checked]).toEqual([])
  })

  it('is nothing for who may not commit, for another wallet than the request names, or on a request that is closed', async () => {
    const fixture = createTestRelay()
    fixture.chain.contracts.set(SAFE, () => true)
    const terms = { ...NO_PROTECTIONS, wallet: SAFE }
    const locked = await fixture.open({ locked: true })
    const named = await fixture.open({ wallet: OTHER_TAKER })
    const closed = await fixture.open()
    await fixture.relay.cancelRequest(closed)
    const refused = [locked, named, closed].map(({ requestId }) =>
      refusal(committing(fixture, { requestId, terms, proof: '0x5afe' })),
    )
    expect(await Promise.all(refused)).toEqual(['taker_secret_required', 'wallet_mismatch', 'request_closed'])
    expect(fixture.chain.checked).toEqual([])
  })

  it.each([
    ['more bytes than are kept', `0x${'33'.repeat(MAX_SIGNATURE_BYTES + 1)}`],
    ['half a byte', '0x333'],
    ['other text', 'proof'],
    ['a wallet that is not deployed (ERC-6492)', `0x${'44'.repeat(200)}${'6492'.repeat(16)}`],
  ])('is nothing for %s', async (_, proof) => {
    const fixture = createTestRelay()
    fixture.chain.contracts.set(SAFE, () => true)
    const { requestId } = await quoted(fixture)
    const commit = committing(fixture, { requestId, terms: { ...NO_PROTECTIONS, wallet: SAFE }, proof })
    expect(await refusal(commit)).toBe('invalid_signature')
    expect(fixture.chain.checked).toEqual([])
  })

  it('is eight failed checks for a request, one at a time, whatever the limits', async () => {
    const fixture = createTestRelay()
    let underWay = 0
    let most = 0
    fixture.chain.contracts.set(SAFE, async () => {
      underWay += 1
      most = Math.max(most, underWay)
      await settle()
      underWay -= 1
      return false
    })
    const { requestId } = await quoted(fixture)
    const commits = Array.from({ length: 40 }, (_, i) => {
      const terms = { ...NO_PROTECTIONS, wallet: SAFE, minContracts: contracts(BigInt(i + 1)) }
      return refusal(committing(fixture, { requestId, terms, proof: `0x${'11'.repeat(i + 1)}` }))
    })
    expect(new Set(await Promise.all(commits))).toEqual(new Set(['invalid_signature', 'too_many_requests']))
    expect(most).toBe(1)
    expect(fixture.chain.checked).toHaveLength(8)
    const last = committing(fixture, { requestId, terms: { ...NO_PROTECTIONS, wallet: SAFE }, proof: '0x11' })
    await expect(last).rejects.toThrow(
      "8 signatures of commits of this request were refused: from now on only one of the wallet's own key counts.",
    )
  })

  it('is looks of its own for each client address: others use up none of what the taker has', async () => {
    const fixture = createTestRelay()
    fixture.chain.contracts.set(SAFE, (signature) => signature === '0x5afe')
    const { ada, requestId } = await quoted(fixture)
    const terms = { ...NO_PROTECTIONS, wallet: SAFE }
    for (let i = 0; i < 9; i += 1)
      await refusal(
        committing(fixture, { requestId, terms, proof: `0x${'11'.repeat(i + 1)}`, clientAddress: '192.0.2.1' }),
      )
    const commit = committing(fixture, { requestId, terms, proof: '0x5afe', clientAddress: '192.0.2.2' })
    await expect.poll(() => ada.accepted()).toHaveLength(1)
    await ada.confirm()
    expect((await commit).execution.acceptance.proven).toBe(true)
  })

  it('is four looks at a time for a client address, over all requests, which hold up no one else', async () => {
    const fixture = createTestRelay()
    let underWay = 0
    let letGo = () => {}
    const gate = new Promise<void>((resolve) => {
      letGo = resolve
    })
    fixture.chain.contracts.set(SAFE, async () => {
      underWay += 1
      await gate
      return false
    })
    const commitOf = async (clientAddress: string) => {
      const { requestId } = await fixture.open()
      const terms = { ...NO_PROTECTIONS, wallet: SAFE }
      return refusal(committing(fixture, { requestId, terms, proof: '0x5afe', clientAddress }))
    }
    const many = Array.from({ length: 10 }, () => commitOf('192.0.2.1'))
    await expect.poll(() => underWay).toBe(4)
    await settle()
    const other = commitOf('192.0.2.2')
    await expect.poll(() => underWay).toBe(5)
    letGo()
    await Promise.all([...many, other])
    expect(underWay).toBe(11)
  })

  it('is 503 while the node is down, and counts for nothing', async () => {
    const fixture = createTestRelay()
    fixture.chain.contracts.set(SAFE, () => true)
    const { requestId } = await quoted(fixture)
    const commit = () => committing(fixture, { requestId, terms: { ...NO_PROTECTIONS, wallet: SAFE }, proof: '0x5afe' })
    fixture.chain.down = true
    for (let i = 0; i < 20; i += 1) expect(await refusal(commit())).toBe('chain_unavailable')
    fixture.chain.down = false
    void commit().catch(() => {})
    await expect.poll(() => fixture.auditLog.map(({ kind }) => kind)).toContain('asked')
  })
})

it('a key that a wallet has authorised proves up to its last second, and not beyond', async () => {
  const fixture = createTestRelay()
  const { requestId } = await quoted(fixture)
  const terms = { ...NO_PROTECTIONS, wallet: SAFE }
  const proof = await proofOf(fixture, { ...terms, requestId })
  fixture.chain.authorised.set(SAFE, new Map([[key.address, START_MS / 1_000 - 1]]))
  expect(await refusal(committing(fixture, { requestId, terms, proof }))).toBe('invalid_signature')
})

it('an order stays proven over a restart', async () => {
  const fixture = createTestRelay()
  const { requestId, terms, proof } = await proven(fixture, key.address)
  const next = await fixture.restart()
  expect((await committing(next, { requestId, terms, proof })).execution.acceptance.proven).toBe(true)
})

it('a proof reaches no log, no audit entry and no figure, taken or refused', async () => {
  const fixture = createTestRelay()
  const { proof } = await proven(fixture, key.address)
  const { requestId } = await quoted(fixture)
  await refusal(committing(fixture, { requestId, terms: { ...NO_PROTECTIONS, wallet: SAFE }, proof }))
  const said = JSON.stringify([fixture.log.lines, fixture.auditLog, await fixture.operations.metrics()], (_, value) =>
    typeof value === 'bigint' ? `${value}` : value,
  )
  expect(said).toContain('commit_started')
  expect(said).not.toContain(proof.slice(2, 60))
})
