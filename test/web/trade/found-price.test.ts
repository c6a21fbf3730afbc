import { afterEach, expect, test, vi } from 'vitest'
import { encodeVerifierKey } from '../../../src/protocol/domain/checkpoint.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { openKeys } from '../../../src/relay/adapters/transparency/keys.ts'
import { verifyPrice } from '../../../src/web/trade/found-price.ts'
import { settle } from '../../support/fake-clock.ts'
import { fileOf } from '../../support/play-history.ts'
import { createTestRelay, LOG_KEYS } from '../../support/test-relay.ts'

const [KEY] = openKeys(LOG_KEYS).verifierKeys.map(encodeVerifierKey) as [string]
const [FOREIGN] = openKeys({ ...LOG_KEYS, seeds: ['5c'.repeat(32)] }).verifierKeys.map(encodeVerifierKey) as [string]

/** Ada misses, Bob signs, and Cyd is not needed. */
async function tradedFile(isForTaker = true): Promise<string> {
  const fixture = createTestRelay({ hasTransparencyLog: true })
  const [, bob] = [await fixture.connect('ada'), await fixture.connect('bob')]
  const { requestId, takerSecret } = await fixture.open()
  await fixture.quote('ada', requestId, { price: usd6(100_000n) })
  await fixture.quote('bob', requestId, { price: usd6(110_000n), size: contracts(1_000n) })
  await fixture.quote('cyd', requestId, { price: usd6(120_000n) })
  const commit = fixture.commit(requestId)
  await fixture.clock.advance(10_000)
  await bob.confirm()
  await commit
  await settle()
  const reader = isForTaker ? ({ kind: 'taker', takerSecret } as const) : ({ kind: 'maker', makerId: 'bob' } as const)
  return fileOf(fixture, requestId, reader)
}

afterEach(() => vi.restoreAllMocks())

test('a browser finds a true file true, and shows who was asked', async () => {
  const file = await tradedFile()
  const found = await verifyPrice(file, [KEY])
  expect(found).toMatchObject({ problems: [], isSignatureChecked: true, file })
  expect(found.lines).toBe(found.size)
  expect(found.quotes.map(({ makerId, price, fate }) => [makerId, price, fate])).toEqual([
    ['bob', 110_000n, 'signed'],
    ['cyd', 120_000n, 'not_asked'],
    ['ada', 100_000n, 'missed'],
  ])
})

test('a file that is changed, or signed by another key, is not true', async () => {
  const file = await tradedFile()
  const changed = file.replace('"price":0.12,', '"price":0.13,')
  expect(changed).not.toBe(file)
  expect((await verifyPrice(changed, [KEY])).problems).not.toEqual([])
  expect((await verifyPrice(file, [FOREIGN])).problems).toEqual(['The checkpoint is signed by no key that was given.'])
  const [head = '', signature = ''] = (JSON.parse(file).checkpoint as string).split('\n\n')
  const forged = file.replace(JSON.stringify(signature).slice(1, -1), JSON.stringify(forgedOf(signature)).slice(1, -1))
  expect(head).not.toBe('')
  expect((await verifyPrice(forged, [KEY])).problems).not.toEqual([])
  expect(await verifyPrice('{}', [KEY])).toMatchObject({
    problems: [expect.stringMatching(/not a transcript/)],
    quotes: [],
  })
})

test('a file that does not show each record is no true one for a taker', async () => {
  const { problems } = await verifyPrice(await tradedFile(false), [KEY])
  expect(problems).toEqual([expect.stringMatching(/no rank was computed again/)])
})

/** Another signature in the same form. */
const forgedOf = (line: string): string =>
  line.replace(/(.)(=*\n)$/, (_, last, rest) => `${last === 'A' ? 'E' : 'A'}${rest}`)

test('a browser without Ed25519 says that it did not check the signature', async () => {
  const file = await tradedFile()
  vi.spyOn(crypto.subtle, 'importKey').mockRejectedValue(new Error('NotSupportedError'))
  expect(await verifyPrice(file, [KEY])).toMatchObject({ problems: [], isSignatureChecked: false })
})
