import { expect, test } from 'vitest'
import { lookForSecrets } from '../../../bench/soak/secrets.ts'

const maker = { makerId: 'ada', apiKey: `soak-${'k'.repeat(32)}`, privateKey: `0x${'ab'.repeat(32)}` } as const
const late = [`0x${'cd'.repeat(65)}`] as const

const faultsOf = (text: string) =>
  [...lookForSecrets([{ name: 'relay.log', text }], { makers: [maker], late })].map(({ fault }) => fault)

test('what is no secret may be told: other keys, other signatures, digests', () => {
  expect(faultsOf(`soak-${'x'.repeat(32)} 0x${'ef'.repeat(65)} ${'12'.repeat(32)}`)).toEqual([null])
  expect(faultsOf('')).toEqual([null])
})

test.each([
  ['an API key', `{"apiKey":"${maker.apiKey}"}`, 'the API key of ada is in relay.log'],
  ['a private key', `key ${maker.privateKey}`, 'the private key of ada is in relay.log'],
  ['a late signature', `{"signature":"${late[0]}"}`, 'a late signature is in relay.log'],
  ['a secret behind others', `${'12'.repeat(32)} ${maker.apiKey}`, 'the API key of ada is in relay.log'],
])('%s is found wherever it is, and is itself not told', (_, text, fault) => {
  expect(faultsOf(text)).toEqual([fault])
})
