import { describe, expect, it } from 'vitest'
import { attestationDigest, PROBE_ATTESTATION } from '../../../src/protocol/domain/attestation.ts'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import type { Address, Hex, ResolutionBps } from '../../../src/protocol/domain/units.ts'
import type { SignerAnswer, SignerQuestion } from '../../../src/protocol/wire/signing.ts'
import type { AskSigner } from '../../../src/relay/adapters/signer/client.ts'
import { createQuorumSigner, type MemberOutcome } from '../../../src/relay/adapters/signer/quorum.ts'
import { createResolutionSigner, createSignatures } from '../../../src/relay/adapters/signing.ts'
import type { Quorum } from '../../../src/relay/core/ports/chain.ts'
import { DOMAIN, describeResolutionSigner, REQUEST } from '../../ports/resolution-signer.suite.ts'
import { createFakeChain } from '../../support/fake-chain.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { createFakeLog } from '../../support/fake-log.ts'

const CONTRACT: Address = '0xCf7Ed3AccA5a467e9e704C703E8D87F634fB0Fc9'
const NEXT: Address = '0x5FbDB2315678afecb367f032d93F642f64180aa3'

/** Keys in ascending order of their addresses. */
const KEYS = ['01', '02', '03', '04', '05']
  .map((byte) => createResolutionSigner(`0x${byte.repeat(32)}`))
  .toSorted((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1))
const [ONE, TWO, THREE, FOUR, FIVE] = KEYS as [Key, Key, Key, Key, Key]

type Key = ReturnType<typeof createResolutionSigner>

const signatureOf = async (key: Key, question: SignerQuestion): Promise<Hex | null> => {
  if (question.ask === 'address') return null
  return question.ask === 'probe' ? key.probe(question.domain) : key.sign(question)
}

const honest =
  (key: Key): AskSigner =>
  async (question) => ({ address: key.address, signature: await signatureOf(key, question), refusal: null })

const answers =
  (key: Key, answer: Partial<SignerAnswer>): AskSigner =>
  async () => ({ address: key.address, signature: null, refusal: null, ...answer })

const fails =
  (code: string): AskSigner =>
  () =>
    Promise.reject(Object.assign(new Error(code), { code }))

const never: AskSigner = () => new Promise(() => {})

/** Signs another price than it was asked for. */
const lying = (key: Key): AskSigner => {
  const other = { ...REQUEST, attestation: { ...REQUEST.attestation, resolutionBps: 100 as ResolutionBps } }
  return async () => ({ address: key.address, signature: await key.sign(other), refusal: null })
}

const refusing = (key: Key, code: 'signer_refused' | 'signer_unavailable') =>
  answers(key, { refusal: { code, detail: 'its sources give 12' } })

function open(asks: readonly AskSigner[], { keys = [ONE, TWO, THREE], threshold = 2 } = {}) {
  const chain = createFakeChain({ clock: createFakeClock() })
  const quorumOf = (of: readonly Key[], count: number): Quorum => ({
    keys: of.map(({ address }) => address),
    threshold: count,
  })
  chain.signer = CONTRACT
  chain.quorums.set(CONTRACT, quorumOf(keys, threshold))
  const log = createFakeLog()
  const current = [...asks]
  const members = asks.map((_, index) => ({
    path: `/run/${index + 1}.sock`,
    ask: (question: SignerQuestion) => (current[index] as AskSigner)(question),
  }))
  const opened = createQuorumSigner({ members, chain, signatures: createSignatures(), address: CONTRACT, log })
  const counted = () => opened.stats().filter(({ count }) => count > 0)
  return { ...opened, chain, log, current, quorumOf, counted }
}

/** The keys whose signatures follow each other, by what they recover to. */
async function signersOf(signature: Hex, digest: Hex): Promise<(Address | null)[]> {
  const { recover } = createSignatures()
  const parts = signature.slice(2).match(/.{130}/g) ?? []
  expect(parts.join('').length).toBe(signature.length - 2)
  return Promise.all(parts.map((part) => recover(digest, `0x${part}`)))
}

const ofRequest = (signature: Hex) => signersOf(signature, attestationDigest(REQUEST.attestation, DOMAIN))

/** Lets all that is ready happen. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describeResolutionSigner('behind one of several sockets', async () => {
  const key = createResolutionSigner(`0x${'01'.repeat(32)}`)
  const { signer } = open([honest(key), never], { keys: [key], threshold: 1 })
  return { signer: { ...signer, address: key.address }, address: key.address, close: async () => {} }
})

describe('several signers', () => {
  it('sign together, as many as have to, in ascending order of their keys, whatever the order of their sockets', async () => {
    const { signer } = open([honest(THREE), honest(ONE)])
    expect(await ofRequest(await signer.sign(REQUEST))).toEqual([ONE.address, THREE.address])
    const probe = await signer.probe(DOMAIN)
    expect(await signersOf(probe, attestationDigest(PROBE_ATTESTATION, DOMAIN))).toEqual([ONE.address, THREE.address])
  })

  it('give no more signatures than have to be', async () => {
    const { signer } = open([honest(ONE), honest(TWO), honest(THREE)])
    expect(await ofRequest(await signer.sign(REQUEST))).toHaveLength(2)
  })

  const bad: [MemberOutcome, AskSigner][] = [
    ['wrong', lying(TWO)],
    ['wrong', answers(TWO, { signature: `0x${'ff'.repeat(65)}` })],
    ['wrong', answers(TWO, { signature: '0x1234' })],
    ['wrong', answers(TWO, {})],
    ['wrong', () => Promise.reject(new RfqError('invalid_json'))],
    ['wrong', async (question) => ({ ...(await honest(FOUR)(question)), address: TWO.address })],
    ['foreign', honest(FOUR)],
    ['refused', refusing(TWO, 'signer_refused')],
    ['unavailable', refusing(TWO, 'signer_unavailable')],
    ['unreachable', fails('ECONNREFUSED')],
    ['unreachable', fails('ENOENT')],
    ['silent', fails('ETIMEDOUT')],
  ]
  it.each(bad)('settle without one of three that is %s, and tell of it', async (outcome, ask) => {
    const { signer, log, counted } = open([ask, honest(ONE), honest(THREE)])
    expect(await ofRequest(await signer.sign(REQUEST))).toEqual([ONE.address, THREE.address])
    await settled()
    expect(counted()).toEqual([
      { path: '/run/1.sock', outcome, count: 1 },
      { path: '/run/2.sock', outcome: 'signed', count: 1 },
      { path: '/run/3.sock', outcome: 'signed', count: 1 },
    ])
    const { seriesId } = REQUEST.attestation
    expect(log.lines).toMatchObject([
      { level: 'warn', event: 'signer_failed', fields: { path: '/run/1.sock', code: outcome, seriesId } },
    ])
  })

  it('do not wait for one that is silent', async () => {
    const { signer } = open([never, honest(ONE), honest(THREE)])
    expect(await ofRequest(await signer.sign(REQUEST))).toEqual([ONE.address, THREE.address])
  })

  it('count a key once, however many sockets it has', async () => {
    const { signer } = open([honest(ONE), honest(ONE), fails('ENOENT')])
    await expect(signer.sign(REQUEST)).rejects.toMatchObject({ code: 'signer_unavailable' })
  })

  it.each<[string, readonly AskSigner[]]>([
    ['signer_unavailable', [lying(ONE), lying(TWO), honest(THREE)]],
    ['signer_unavailable', [fails('ECONNREFUSED'), refusing(TWO, 'signer_refused'), honest(THREE)]],
    ['signer_refused', [refusing(ONE, 'signer_refused'), refusing(TWO, 'signer_refused'), honest(THREE)]],
    ['signer_not_in_office', [honest(FOUR), honest(FIVE), honest(THREE)]],
  ])('sign nothing where two of three do not, with %s', async (code, asks) => {
    const { signer } = open(asks)
    await expect(signer.sign(REQUEST)).rejects.toMatchObject({ code })
  })

  it('end once too few are left, and do not wait for one that is silent then', async () => {
    const { signer } = open([lying(ONE), fails('ENOENT'), never])
    await expect(signer.sign(REQUEST)).rejects.toMatchObject({
      code: 'signer_unavailable',
      message:
        '2 of 3 signers have to sign: signer 1 gave a wrong signature, signer 2 is not there, signer 3 has not answered.',
    })
  })

  it('show callers neither the words of a signer nor the places of sockets', async () => {
    const { signer } = open([refusing(ONE, 'signer_refused'), refusing(TWO, 'signer_refused'), never])
    const fault: Error = await signer.sign(REQUEST).then(
      () => new Error('signed'),
      (cause) => cause,
    )
    expect(fault.message).not.toMatch(/12|\.sock|\/run/)
  })

  it('are used again once they are back, and the log tells of each change once', async () => {
    const { signer, log, current } = open([fails('ECONNREFUSED'), honest(TWO), honest(THREE)])
    for (const _ of [1, 2, 3]) await signer.probe(DOMAIN)
    current[0] = honest(ONE)
    current[1] = fails('ENOENT')
    const probe = await signer.probe(DOMAIN)
    expect(await signersOf(probe, attestationDigest(PROBE_ATTESTATION, DOMAIN))).toEqual([ONE.address, THREE.address])
    await settled()
    expect(log.lines.map(({ event, fields }) => [event, fields.path])).toEqual([
      ['signer_failed', '/run/1.sock'],
      ['signer_failed', '/run/2.sock'],
      ['signer_back', '/run/1.sock'],
    ])
  })

  it('sign for another contract as soon as that is active', async () => {
    const { signer, chain, quorumOf } = open([honest(ONE), honest(TWO), honest(FOUR), honest(FIVE)])
    expect(await ofRequest(await signer.sign(REQUEST))).toEqual([ONE.address, TWO.address])
    chain.signer = NEXT
    chain.quorums.set(NEXT, quorumOf([TWO, FOUR, FIVE], 3))
    expect(await ofRequest(await signer.sign(REQUEST))).toEqual([TWO.address, FOUR.address, FIVE.address])
  })

  it('sign nothing for an active signer that names no keys', async () => {
    const { signer, chain } = open([honest(ONE), honest(TWO)])
    for (const other of [ONE.address, NEXT, null]) {
      chain.signer = other
      await expect(signer.sign(REQUEST)).rejects.toMatchObject({ code: 'signer_not_in_office' })
      await expect(signer.probe(DOMAIN)).rejects.toMatchObject({ code: 'signer_not_in_office' })
    }
  })

  it('fail with the chain while that cannot be read', async () => {
    const { signer, chain } = open([honest(ONE), honest(TWO)])
    chain.down = true
    await expect(signer.sign(REQUEST)).rejects.toMatchObject({ code: 'chain_unavailable' })
  })

  it('answer one by one for a survey of all', async () => {
    const { survey } = open([honest(ONE), lying(TWO), fails('ENOENT')])
    expect((await survey(DOMAIN)).answers).toEqual([
      { path: '/run/1.sock', outcome: 'signed', reason: ONE.address },
      { path: '/run/2.sock', outcome: 'wrong', reason: expect.any(String) },
      { path: '/run/3.sock', outcome: 'unreachable', reason: 'ENOENT' },
    ])
  })
})
