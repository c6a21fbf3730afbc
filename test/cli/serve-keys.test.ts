import { describe, expect, test } from 'vitest'
import { createDevAccounts } from '../../src/onchain/devnet/accounts.ts'
import type { Hex } from '../../src/protocol/domain/units.ts'
import type { Rpc } from '../../src/relay/adapters/chain/rpc.ts'
import { refusePublicKeys, refusePublicRoles } from '../../src/relay/app/dev-chain.ts'
import type { Settings } from '../../src/relay/config/settings.ts'
import { run, temporaryDir } from './support.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`
const { deployer, resolutionSigner, faucet } = createDevAccounts()

test('serve does not sign with public keys on a chain that others can reach', async () => {
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

describe('in production, also before an Anvil of this machine,', () => {
  const production = (keys: Partial<Settings['keys']>) =>
    ({ isProduction: true, keys: { resolutionSigner: null, faucet: null, ...keys } }) as Settings
  const external = {
    kind: 'external',
    rpcUrl: 'http://127.0.0.1:1',
    coreAddress: address('2') as Hex,
  } as Extract<Settings['chain'], { kind: 'external' }>
  const refused = (who: string) => ({ code: 'public_key', exitCode: 4, message: expect.stringContaining(who) })

  test('public keys are refused', async () => {
    const signing = production({ resolutionSigner: resolutionSigner.privateKey })
    await expect(refusePublicKeys(signing, external)).rejects.toMatchObject(refused('RESOLUTION_SIGNER_KEY'))
    await expect(refusePublicKeys(production({ faucet: `0x${'5'.repeat(64)}` }), external)).resolves.toBeUndefined()
  })

  test.each(['owner', 'guardian', 'resolution signer', 'registrar'])(
    'so is a core that has such a key as %s',
    async (role) => {
      const number = ['owner', 'guardian', 'resolution signer', 'registrar'].indexOf(role)
      const heldBy = (holder: string) => {
        const client = {
          readContract: async ({ functionName, args }: { functionName: string; args: readonly number[] }) => {
            expect(functionName).toBe('holderOf')
            return args[0] === number ? holder : address('5')
          },
        }
        const rpc = { read: (work: (given: typeof client) => unknown) => work(client) } as unknown as Pick<Rpc, 'read'>
        return refusePublicRoles(production({}), external, rpc)
      }
      const theirs = refused(`the ${role} of the core must not be one of Anvil's ten keys`)
      await expect(heldBy(deployer.address)).rejects.toMatchObject(theirs)
      await expect(heldBy(address('6'))).resolves.toBeUndefined()
    },
  )
})
