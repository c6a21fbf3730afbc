import { expect, test } from 'vitest'
import { createDevAccounts } from '../../src/devnet/accounts.ts'
import { run, temporaryDir } from './support.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`
const { resolutionSigner, faucet } = createDevAccounts()

test('serve does not sign with keys that everybody has on a chain that others can reach', async () => {
  const environment = {
    RPC_URL: 'https://rpc.example/CANARY',
    SETTLEMENT_ADDRESS: address('1'),
    CORE_ADDRESS: address('2'),
    STABLECOIN_ADDRESS: address('3'),
    RESOLUTION_SIGNER_KEY: resolutionSigner.privateKey,
    FAUCET_PRIVATE_KEY: faucet.privateKey,
    LOG_LEVEL: 'silent',
  }
  const { code, stderr } = await run(['serve', '--memory', '--port', '0'], { cwd: temporaryDir(), environment })
  expect(code).toBe(4)
  expect(stderr).toContain("RESOLUTION_SIGNER_KEY and FAUCET_PRIVATE_KEY must not be one of Anvil's ten keys")
  expect(stderr).not.toMatch(/CANARY|[0-9a-f]{64}/)
})
