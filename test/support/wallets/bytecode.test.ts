import { readdirSync } from 'node:fs'
import { getContractAddress, keccak256 } from 'viem'
import { describe, expect, it } from 'vitest'
import { PUBLISHED, type PublishedName, readPublished } from './bytecode.ts'

/** Where these contracts are on every chain that has them, as their makers announce it. */
const ANNOUNCED: Readonly<Partial<Record<PublishedName, string>>> = {
  CompatibilityFallbackHandler: '0xfd0732Dc9E303f09fCEf3a7388Ad10A83459Ec99',
  EntryPoint: '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
  MultiSendCallOnly: '0x9641d764fc13c8B624c04430C7356C1C7C8102e2',
  Permit2: '0x000000000022D473030F116dDEE9F6B43aC78BA3',
  Safe: '0x41675C099F32341bf84BFc5382aF534df5C7461a',
  SafeProxyFactory: '0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67',
  Simple7702Account: '0xe6Cae83BdE06E4c305530e199D7217f42808555B',
}

/** The code of those that have no address of their own, as the packages hold it. */
const HASHES: Readonly<Partial<Record<PublishedName, string>>> = {
  EIP7702StatelessDeleGator: '0x7af2e1a25716422aadfc9dd563a5134290a122488491e3d265066703d801391d',
  ERC1967Proxy: '0xc8fb9314d27cddb08b374dd2bf47cd06c6fb879756ddfbedf522a8c58756a8e0',
  FiatTokenV2_2: '0xb9f3248ea880c726eb892937cdc562766bbd0948cd6e8eac7a8470364c68e6de',
  HybridDeleGator: '0x8f3430ac3a06c0618019c8f1730b262889d4d2f8821ee3a19bb1acd280064b49',
  SCL_RIP7212: '0x3184ebff326e016f18a2f16ab863add3e384dc4558b2733bf5689dc67e4dcdf7',
  SignatureChecker: '0xb9baf0fe69d4ef164a925ce3ee35c43a8f97b6dd62dbd7259e43322a4ab2c073',
  SimpleAccount: '0x07189e53de89fdd954eafab24194ade337af2ef16d2147fbeafbefb95b3ed23e',
}

describe('the published bytecode of the tests of wallets', () => {
  it.each(PUBLISHED)('%s is what its makers published', (name) => {
    const { contract, create2, hash, initCode, integrity } = readPublished(name)
    expect({ contract, hash }).toEqual({ contract: name, hash: keccak256(initCode) })
    expect(integrity).toMatch(/^sha512-/)
    if (create2 === null) return expect(hash).toBe(HASHES[name])
    const { deployer: from, salt, address } = create2
    expect(getContractAddress({ opcode: 'CREATE2', from, salt, bytecode: initCode })).toBe(address)
    expect(address).toBe(ANNOUNCED[name])
  })

  it('is all that is kept', () => {
    const kept = readdirSync(new URL('./bytecode/', import.meta.url)).map((file) => file.replace('.json', ''))
    expect(kept.toSorted()).toEqual([...PUBLISHED].toSorted())
  })
})
