import { createTestClient, http } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Anvil, startAnvil } from '../../../../src/onchain/devnet/anvil.ts'
import { MAX_SIGNATURE_BYTES } from '../../../../src/protocol/domain/signature.ts'
import type { Address, Hex } from '../../../../src/protocol/domain/units.ts'
import { createRpc, httpTransport } from '../../../../src/relay/adapters/chain/rpc.ts'
import { createViemChain } from '../../../../src/relay/adapters/chain/viem.ts'
import type { Chain } from '../../../../src/relay/core/ports/chain.ts'
import { CORE, SETTLEMENT, STABLECOIN } from './fake-node.ts'

const WALLET: Address = '0x00000000000000000000000000000000000057A6'
const MAGIC = '631626ba7e60e01b600052' // the word of a yes, at 0 in memory
const MEGABYTES = '620927c06000' // 600,000 bytes from 0: as many as the gas of a check pays for

let anvil: Anvil
let chain: Chain

beforeAll(async () => {
  anvil = await startAnvil({ port: 0, statePath: null, outlives: false })
  const environment = {
    chainId: 31_337,
    coreAddress: CORE,
    settlementAddress: SETTLEMENT,
    stablecoinAddress: STABLECOIN,
  }
  chain = createViemChain({
    rpc: createRpc(httpTransport(anvil.rpcUrl)),
    environment,
    tradingCutoffS: 0,
    cacheMs: 0,
    now: () => 0,
  })
})
afterAll(() => anvil.stop())

/** What a wallet of this code says of a signature. */
async function asked(code: string, bytes = 65): Promise<boolean> {
  const client = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) })
  await client.setCode({ address: WALLET, bytecode: `0x${code}` })
  const signature: Hex = `0x${'5e'.repeat(bytes)}`
  return chain.takesSignature({ contract: WALLET, digest: `0x${'11'.repeat(32)}`, signature })
}

test.each([
  ['says yes', `${MAGIC}60206000f3`, 65],
  ['says yes to the longest signature', `${MAGIC}60206000f3`, MAX_SIGNATURE_BYTES],
  ['says yes in megabytes', `${MAGIC}${MEGABYTES}f3`, 65],
])('a wallet that %s has said yes', async (_, code, bytes) => {
  expect(await asked(code, bytes)).toBe(true)
})

test.each([
  ['has no code', '', 65],
  ['answers nothing', '00', 65],
  ['says yes in four bytes', `${MAGIC}60046000f3`, 65],
  ['says yes as it reverts', `${MAGIC}60206000fd`, 65],
  ['answers megabytes', `${MEGABYTES}f3`, 65],
  ['reverts with megabytes', `${MEGABYTES}fd`, 65],
  ['burns its gas', '5b600056', 65],
  ['burns its gas over the longest signature', '5b600056', MAX_SIGNATURE_BYTES],
  ['has code that is none', 'fe', 65],
  ['answers what begins as no code may', '60ef60f81b60005260206000f3', 65],
])('a wallet that %s has said no, and looks like no fault of the node (decision C15)', async (_, code, bytes) => {
  expect(await asked(code, bytes)).toBe(false)
})
