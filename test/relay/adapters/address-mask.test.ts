import { expect, it } from 'vitest'
import { createAddressMask } from '../../../src/relay/adapters/address-mask.ts'

const mask = createAddressMask('https://ann%40x:hunter2@node.example/v2/Key%2Dof-ann?token=t0ken&x=1')

it.each([
  ['the path', 'GET /v2/Key%2Dof-ann failed', 'GET [address] failed'],
  ['one part of it, decoded', 'no such key: Key-of-ann', 'no such key: [address]'],
  ['in other letters', 'KEY%2DOF-ANN', '[address]'],
  ['the query', 'at ?token=t0ken&x=1', 'at ?[address]'],
  ['a value of it', 'bad t0ken', 'bad [address]'],
  ['user and password', 'ann@x or hunter2', '[address] or [address]'],
  ['both as the header has them', `Basic ${btoa('ann@x:hunter2')}`, 'Basic [address]'],
])('takes out %s', (_, text, masked) => {
  expect(mask(text)).toBe(masked)
})

it.each([undefined, 'http://127.0.0.1:8545', 'http://node/v2', 'no address', 'http://100%'])(
  'leaves a text as it is that tells nothing of %s',
  (address) => {
    expect(createAddressMask(address)('http error at v2, node, 1 of 8545')).toBe('http error at v2, node, 1 of 8545')
  },
)

it('takes an address that cannot be decoded', () => {
  expect(createAddressMask('http://node/%zz-secret')('at %zz-secret')).toBe('at [address]')
})
