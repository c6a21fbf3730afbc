import { createPublicClient, custom, toHex } from 'viem'
import { expect, test } from 'vitest'
import { readOrderSigner, unsignedFault } from '../../src/client/order-signature.ts'
import type { Wallet } from '../../src/client/wallet.ts'
import type { Hex } from '../../src/protocol/domain/units.ts'
import { BUY, CHAIN, DOMAIN, MAKER, offerOf, orderOf, STRANGER, sign } from './trade-fixture.ts'

const ORDER = orderOf(offerOf(BUY))

/** Who signed, on a chain where a signature counts until then; null: no chain answers. */
function signerOf(signature: Hex, until: bigint | null) {
  const asked: string[] = []
  const transport = custom(
    {
      request: async ({ method, params }) => {
        asked.push(method)
        if (until === null) throw new Error('offline')
        expect(params[0].to).toBe(CHAIN.settlementAddress)
        return toHex(until, { size: 32 })
      },
    },
    { retryCount: 0 },
  )
  const wallet = { publicClient: createPublicClient({ transport }), setup: CHAIN } as unknown as Wallet
  return { asked, signer: readOrderSigner(wallet, { order: ORDER, domain: DOMAIN, signature }) }
}

const ALWAYS = 2n ** 256n - 1n
const OF_CONTRACT: Hex = `0x${'ab'.repeat(130)}`

test('a maker’s own key is known without asking the chain', async () => {
  const { asked, signer } = signerOf(await sign(ORDER), null)
  expect(await signer).toEqual({ signer: MAKER.address, until: null })
  expect(asked).toEqual([])
})

test('a signature that the maker’s own code takes is the maker’s, no matter which address it recovers to', async () => {
  expect(await signerOf(OF_CONTRACT, ALWAYS).signer).toEqual({ signer: MAKER.address, until: null })
  expect(await signerOf(await sign(ORDER, STRANGER), ALWAYS).signer).toEqual({ signer: MAKER.address, until: null })
})

test('a key that the maker authorised is named, with the second until which it signs', async () => {
  const signature = await sign(ORDER, STRANGER)
  expect(await signerOf(signature, 1_800_000_000n).signer).toEqual({ signer: STRANGER.address, until: 1_800_000_000 })
})

test('a signature that the chain does not take is no one’s, and a chain that is down says nothing of it', async () => {
  expect(await signerOf(await sign(ORDER, STRANGER), 0n).signer).toBeNull()
  expect(await signerOf(OF_CONTRACT, 0n).signer).toBeNull()
  await expect(signerOf(OF_CONTRACT, null).signer).rejects.toThrow('offline')
})

test('a signature of a wallet that is not deployed says what to do', () => {
  expect(unsignedFault(`0x${'ab'.repeat(200)}${'6492'.repeat(16)}`)).toContain('deploy the wallet')
  expect(unsignedFault('0x1234')).toBe('the signature is not that of its maker')
})
