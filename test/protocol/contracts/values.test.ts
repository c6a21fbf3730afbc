import { expect, test } from 'vitest'
import { serviceRfqSettlementAbi } from '../../../src/protocol/contracts/abi.ts'
import { contractOfError, contractUnit, namedValues } from '../../../src/protocol/contracts/values.ts'

test.each([
  ['core', 'amount', 'options'],
  ['stablecoin', 'amount', 'usd'],
  ['core', 'value', 'options'],
  ['stablecoin', 'value', 'usd'],
  ['settlement', 'value', 'usd'],
  ['core', 'collateral', 'usd'],
  ['core', 'cap', 'usd'],
  ['core', 'strikeBps', 'strike'],
  ['core', 'resolutionBps', 'resolution'],
  ['settlement', 'validUntil', 'time'],
  ['settlement', 'nonce', 'plain'],
  ['core', 'toString', 'plain'],
] as const)('in the %s, %s counts %s', (kind, name, unit) => {
  expect(contractUnit(kind, name)).toBe(unit)
})

test('an error of the stablecoin tells dollars, also when another contract passes it on', () => {
  expect(contractOfError('ERC20InsufficientBalance')).toBe('stablecoin')
  expect(contractOfError('ERC2612ExpiredSignature')).toBe('stablecoin')
  expect(contractOfError('ERC1155InsufficientBalance')).toBe('core')
  expect(contractOfError('NonceUsed')).toBe('core')
})

test('signed and due amounts are dollars', () => {
  expect(contractOfError('PaymentMismatch')).toBe('settlement')
  expect(['value', 'due'].map((name) => contractUnit('settlement', name))).toEqual(['usd', 'usd'])
})

test('the members of a struct stand in its place, and arguments that are missing are undefined', () => {
  const fill = serviceRfqSettlementAbi.find((item) => item.type === 'function' && item.name === 'fill')
  const order = { maker: '0x1', seriesId: 7n, premiumAmount: 5n, optionAmount: 2n }
  const values = namedValues('settlement', fill?.type === 'function' ? fill.inputs : [], [order, '0x99'])
  expect(values.map(({ name }) => name)).toEqual([
    'order.maker',
    'order.seriesId',
    'order.optionAmount',
    'order.premiumAmount',
    'order.makerSelling',
    'order.taker',
    'order.validUntil',
    'order.nonce',
    'makerSignature',
  ])
  expect(values[3]).toEqual({ name: 'order.premiumAmount', unit: 'usd', value: 5n })
  expect(values[4]).toEqual({ name: 'order.makerSelling', unit: 'plain', value: undefined })
})

test('a list of structs stays one value, and so does any other list', () => {
  const components = [{ name: 'value', type: 'uint256' }]
  expect(namedValues('core', [{ name: 'list', type: 'tuple[]', components }], [[{ value: 1n }]])).toEqual([
    { name: 'list', unit: 'plain', value: [{ value: 1n }] },
  ])
  expect(namedValues('core', [{ name: 'odd', type: 'tuple', components }], [null])).toEqual([
    { name: 'odd', unit: 'plain', value: null },
  ])
  expect(namedValues('core', [{ type: 'tuple', components: [{}] }, {}], [{ '': 3 }, 4])).toEqual([
    { name: '.', unit: 'plain', value: 3 },
    { name: '', unit: 'plain', value: 4 },
  ])
})
