import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeGaslessFill, encodeGaslessFill } from '../../../src/protocol/wire/gasless-fill.ts'
import { gaslessFill } from '../../support/arbitraries.ts'
import { MAKER, overTheWire, TAKER } from './examples.ts'

/** What a client written from the documentation alone would send. */
const body = () => ({
  order: {
    maker: MAKER as unknown,
    seriesId: '7' as unknown,
    optionAmount: '833' as unknown,
    premiumAmount: '99960000',
    makerSelling: true as unknown,
    taker: TAKER as unknown,
    validUntil: 1_700_000_132 as unknown,
    nonce: 4_294_967_296 as unknown,
  },
  makerSignature: `0x${'11'.repeat(65)}` as unknown,
  payment: {
    method: 'permit' as unknown,
    value: '100960000' as unknown,
    nonce: '0' as unknown,
    deadline: 1_700_000_132 as unknown,
    signature: `0x${'22'.repeat(65)}` as unknown,
  },
  authorization: {
    orderHash: `0x${'AB'.repeat(32)}` as unknown,
    maxFee: '1000000' as unknown,
    feeRecipient: MAKER.toLowerCase() as unknown,
    deadline: 1_700_000_132 as unknown,
  },
  takerSignature: `0x${'33'.repeat(65)}` as unknown,
})

test('a fill for someone else is read in the types of the domain, addresses with their checksums', () => {
  expect(decodeGaslessFill(body())).toMatchObject({
    order: { optionAmount: 833n, premiumAmount: 99_960_000n, nonce: 4_294_967_296 },
    payment: { method: 'permit', value: 100_960_000n, nonce: 0n, deadline: 1_700_000_132 },
    authorization: { orderHash: `0x${'ab'.repeat(32)}`, maxFee: 1_000_000n, feeRecipient: MAKER },
  })
})

const PARTNER_FEE = { recipient: TAKER, bps: 25 }

test("a partner's share is part of an authorization, or absent", () => {
  const { authorization } = body()
  const withPartner = { ...body(), authorization: { ...authorization, partnerFee: PARTNER_FEE } }
  expect(decodeGaslessFill(withPartner).authorization.partnerFee).toEqual(PARTNER_FEE)
  expect(decodeGaslessFill(body()).authorization.partnerFee).toBeNull()
  expect(encodeGaslessFill(decodeGaslessFill(body())).authorization).not.toHaveProperty('partnerFee')
})

test('whatever is encoded is given back', () => {
  fc.assert(
    fc.property(gaslessFill, (fill) => {
      expect(decodeGaslessFill(overTheWire(encodeGaslessFill(fill)))).toEqual(fill)
    }),
  )
})

const TOO_LARGE = (2n ** 256n).toString()

test.each<[string, (of: ReturnType<typeof body>) => object]>([
  ['order.maker', ({ order }) => ({ order: { ...order, maker: `0x${'0'.repeat(40)}` } })],
  ['order.taker', ({ order }) => ({ order: { ...order, taker: '0x12' } })],
  ['order.seriesId', ({ order }) => ({ order: { ...order, seriesId: TOO_LARGE } })],
  ['order.optionAmount', ({ order }) => ({ order: { ...order, optionAmount: TOO_LARGE } })],
  ['order.premiumAmount', ({ order }) => ({ order: { ...order, premiumAmount: TOO_LARGE } })],
  ['order.makerSelling', ({ order }) => ({ order: { ...order, makerSelling: 1 } })],
  ['order.validUntil', ({ order }) => ({ order: { ...order, validUntil: -1 } })],
  ['order.validUntil', ({ order }) => ({ order: { ...order, validUntil: 2 ** 53 } })],
  ['order.nonce', ({ order }) => ({ order: { ...order, nonce: 1e300 } })],
  ['payment.method', ({ payment }) => ({ payment: { ...payment, method: 'gift' } })],
  ['payment.value', ({ payment }) => ({ payment: { ...payment, value: 100_960_000 } })],
  ['payment.value', ({ payment }) => ({ payment: { ...payment, value: TOO_LARGE } })],
  ['payment.nonce', ({ payment }) => ({ payment: { ...payment, nonce: TOO_LARGE } })],
  ['payment.deadline', ({ payment }) => ({ payment: { ...payment, deadline: 1.5 } })],
  ['payment.deadline', ({ payment }) => ({ payment: { ...payment, deadline: 2 ** 53 } })],
  ['authorization.orderHash', ({ authorization }) => ({ authorization: { ...authorization, orderHash: '0xab' } })],
  ['authorization.maxFee', ({ authorization }) => ({ authorization: { ...authorization, maxFee: '-1' } })],
  ['authorization.maxFee', ({ authorization }) => ({ authorization: { ...authorization, maxFee: TOO_LARGE } })],
  ['authorization.feeRecipient', ({ authorization }) => ({ authorization: { ...authorization, feeRecipient: null } })],
  ['authorization.deadline', ({ authorization }) => ({ authorization: { ...authorization, deadline: '1' } })],
  ...[0, 501, 2.5, '25'].map((bps): [string, (of: ReturnType<typeof body>) => object] => [
    'authorization.partnerFee.bps',
    ({ authorization }) => ({ authorization: { ...authorization, partnerFee: { ...PARTNER_FEE, bps } } }),
  ]),
  [
    'authorization.partnerFee.recipient',
    ({ authorization }) => ({
      authorization: { ...authorization, partnerFee: { ...PARTNER_FEE, recipient: `0x${'0'.repeat(40)}` } },
    }),
  ],
])('a fill is refused, naming the field, for a bad %s', (field, change) => {
  expect(() => decodeGaslessFill({ ...body(), ...change(body()) })).toThrow(
    expect.objectContaining({ code: 'invalid_request', message: expect.stringMatching(`^${field} must be`) }),
  )
})

test.each<[string, (signature: string) => object]>([
  ['makerSignature', (makerSignature) => ({ makerSignature })],
  ['takerSignature', (takerSignature) => ({ takerSignature })],
  ['payment.signature', (signature) => ({ payment: { ...body().payment, signature } })],
])('%s has at most 4,096 bytes, and is never shown when it is refused', (field, fillWith) => {
  const longest = `0x${'5e'.repeat(4_096)}`
  expect(() => decodeGaslessFill({ ...body(), ...fillWith(longest) })).not.toThrow()
  for (const bad of [`${longest}5e`, '5e5e5e5e', '0x5e5e5e5', '0x5e5e5e5eg']) {
    expect(() => decodeGaslessFill({ ...body(), ...fillWith(bad) })).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: expect.stringMatching(new RegExp(`^${field} must be (?!.*5e5e)`)),
      }),
    )
  }
})

test('a fill without one of its parts is refused', () => {
  for (const part of Object.keys(body())) {
    const { [part as 'order']: _, ...rest } = body()
    expect(() => decodeGaslessFill(rest)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  }
})
