import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { startPublicChain } from '../support/public-chain.ts'
import { run, temporaryDir } from './support.ts'

const addressOf = (byte: string) => privateKeyToAccount(`0x${byte.repeat(32)}`).address

test('over an existing stablecoin, a deployment whose choices can never protect real money is refused', async () => {
  const chain = await startPublicChain()
  const key = generatePrivateKey()
  const deployer = privateKeyToAccount(key).address
  await chain.fund(deployer)
  const deploy = (...flags: string[]) =>
    run(['chain', 'deploy', '--key-stdin', '--dry-run', '--chain-id', `${chain.chainId}`, ...flags], {
      cwd: temporaryDir(),
      environment: { RPC_URL: chain.rpcUrl },
      stdin: key,
    })
  const given = ['--stablecoin', chain.usdc, '--resolution-signer', addressOf('d5')]

  const refused = await deploy(...given)
  expect([refused.code, refused.stdout]).toEqual([2, ''])
  for (const found of [
    'these choices do not protect real money, and a deployment cannot change them',
    'owner and guardian are one',
    'there is no dispute window',
    `the deployer ${deployer} is the owner, and no multi-signature wallet`,
  ]) {
    expect(refused.stderr).toContain(found)
  }
  const unsafe = await deploy(...given, '--unsafe')
  expect([unsafe.code, unsafe.stdout]).toEqual([0, expect.stringContaining('create core and settlement contract')])
  expect(unsafe.stderr).toContain('warning: there is no dispute window')

  const safe = ['--owner', chain.multisig, '--guardian', addressOf('d6'), '--dispute-window', '1h']
  expect(await deploy(...given, ...safe)).toMatchObject({ code: 0 })
})
