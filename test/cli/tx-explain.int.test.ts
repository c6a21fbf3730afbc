import { encodeFunctionData } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevClient, type DevClient } from '../../src/onchain/devnet/client.ts'
import { type Devnet, startDevnet } from '../../src/onchain/devnet/start.ts'
import { serviceRfqSettlementAbi, testUsdAbi } from '../../src/protocol/contracts/abi.ts'
import type { Address, Hex } from '../../src/protocol/domain/units.ts'
import { run, temporaryDirOfFile } from './support.ts'

const cwd = temporaryDirOfFile()
let devnet: Devnet
let client: DevClient

beforeAll(async () => {
  devnet = await startDevnet({ dataDir: null, port: 0, seriesAt: () => [] })
  client = createDevClient(devnet.rpcUrl)
})

afterAll(() => devnet?.stop())

const explain = (hash: string, ...flags: string[]) =>
  run(['tx', 'explain', hash, ...flags], {
    cwd,
    environment: {
      RPC_URL: devnet.rpcUrl,
      SETTLEMENT_ADDRESS: devnet.deployment.settlementAddress,
      CORE_ADDRESS: devnet.deployment.coreAddress,
      STABLECOIN_ADDRESS: devnet.deployment.stablecoinAddress,
    },
  })

async function send(to: Address, data: Hex): Promise<Hex> {
  const account = devnet.accounts.makers[0]?.address as Address
  const hash = await client.sendTransaction({ account, chain: null, to, data, gas: 200_000n })
  await client.waitForTransactionReceipt({ hash })
  return hash
}

const cancel = (nonce: bigint) =>
  send(
    devnet.deployment.settlementAddress,
    encodeFunctionData({ abi: serviceRfqSettlementAbi, functionName: 'cancelNonce', args: [nonce] }),
  )

test('a transaction is explained by its function, its events and its values in people’s units', async () => {
  const args = [devnet.deployment.coreAddress, 1_234_500_000n] as const
  const data = encodeFunctionData({ abi: testUsdAbi, functionName: 'approve', args })
  const { code, stdout, stderr } = await explain(await send(devnet.deployment.stablecoinAddress, data))
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^status +done\n/)
  expect(stdout).toContain(`(the stablecoin)`)
  expect(stdout).toContain(`\napprove\n  spender  ${devnet.deployment.coreAddress}\n  value    $1,234.50\n`)
  expect(stdout).toContain('\n+ Approval\n')
})

test('a refusal is explained in numbers, with what to do; also for programs', async () => {
  await cancel(5n)
  const hash = await cancel(5n)
  const { code, stdout } = await explain(hash)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^status +reverted: nothing changed, but the gas was spent\n/)
  expect(stdout).toContain('why: The order was already filled, or its maker cancelled it.\n  NonceUsed\n  maker 0x')
  expect(stdout).toContain('  nonce 5\n  try: Check your positions')
  expect(JSON.parse((await explain(hash, '--json')).stdout)).toMatchObject({
    type: 'transaction',
    hash,
    status: 'reverted',
    call: { contract: 'settlement', name: 'cancelNonce', values: { nonce: '5' } },
    refusal: { code: 'nonce_used', errorName: 'NonceUsed', values: { nonce: '5' } },
    outOfGas: false,
  })
})

test.each([
  ['a hash that the chain does not know', `0x${'00'.repeat(32)}`, 5, 'the chain does not know 0x00'],
  ['what is no hash', '0x12', 2, 'Expected a hash'],
])('%s is refused', async (_, hash, code, words) => {
  const refused = await explain(hash)
  expect(refused.code).toBe(code)
  expect(refused.stderr).toContain(words)
})

test('without a hash it is the newest fill, and there must be one', async () => {
  const { code, stderr } = await run(['tx', 'explain'], { cwd })
  expect(code).toBe(5)
  expect(stderr).toContain('you have not filled an order yet')
})
