import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevAccounts } from '../../src/onchain/devnet/accounts.ts'
import { rpc } from '../kit/plays.ts'
import { type HttpServer, openHttpServer } from '../kit/server.ts'
import { type Ran, run, temporaryDirOfFile } from './support.ts'

const cwd = temporaryDirOfFile()
const KEY = `0x${'d1'.repeat(32)}`
const addressOf = (byte: string) => privateKeyToAccount(`0x${byte.repeat(32)}`).address
const DEPLOYER = addressOf('d1')
const SIGNER = addressOf('d3')
const FAUCET = addressOf('d4')
const { resolutionSigner: publicWallet, deployer: publicDeployer } = createDevAccounts()

/** A node that is no Anvil; it answers what is asked before anything else, and nothing more. */
let node: HttpServer
let asked: string[]
let chainId = '0x13882'

beforeAll(async () => {
  node = await openHttpServer(
    rpc(({ method }) => {
      asked.push(method)
      return { web3_clientVersion: 'Geth/v1', eth_chainId: chainId }[method]
    }),
  )
})
afterAll(() => node.close())

function deploy(flags: readonly string[], stdin = KEY): Promise<Ran> {
  asked = []
  return run(['chain', 'deploy', '--rpc', node.url, ...flags], { cwd, stdin })
}

describe('on a chain that is not a development chain, a deployment is refused', () => {
  test('without a key of its own', async () => {
    const { code, stderr } = await deploy([])
    expect(code).toBe(2)
    expect(stderr).toContain('no deployer key given\n  it runs Geth/v1')
    expect(stderr).toContain('try: pass --key-file PATH or --key-stdin')
  })

  test.each([
    ['without a resolution signer', ['--minter', FAUCET], 2, '--resolution-signer ADDRESS is required'],
    ['without a faucet for its test stablecoin', ['--resolution-signer', SIGNER], 2, '--minter ADDRESS is required'],
    [
      'when one key would hold two roles',
      ['--resolution-signer', SIGNER, '--minter', SIGNER],
      4,
      `resolution signer and faucet are both ${SIGNER}`,
    ],
    [
      'when the deployer would sign resolutions',
      ['--resolution-signer', DEPLOYER, '--minter', FAUCET],
      4,
      `deployer and resolution signer are both ${DEPLOYER}`,
    ],
    [
      'when everybody has the key of a role',
      ['--resolution-signer', publicWallet.address, '--minter', FAUCET],
      4,
      `resolution signer ${publicWallet.address} is public: it is one of Anvil's ten`,
    ],
    [
      'on a chain of another id than is meant',
      ['--chain-id', '1', '--resolution-signer', SIGNER, '--minter', FAUCET],
      8,
      'the node serves chain 80002, not chain 1',
    ],
    ['when an address has a wrong checksum', ['--owner', `${SIGNER.slice(0, -1)}f`], 2, '--owner is not an address'],
    [
      'with a stablecoin and a minter of another one',
      ['--stablecoin', SIGNER, '--minter', FAUCET],
      2,
      'cannot be used',
    ],
    ['with a key on the command line', ['--private-key', KEY], 2, 'private keys are not accepted on the command line'],
  ])('%s', async (_, flags, code, words) => {
    const refused = await deploy(['--key-stdin', ...flags])
    expect([refused.code, refused.stdout]).toEqual([code, ''])
    expect(refused.stderr).toContain(words)
    expect(asked.filter((method) => method.startsWith('eth_send'))).toEqual([])
  })

  test('with a stablecoin that is worth nothing, where the chain is not a known test network', async () => {
    chainId = '0x89'
    const roles = ['--key-stdin', '--chain-id', '137', '--resolution-signer', SIGNER]
    const refused = await deploy([...roles, '--minter', FAUCET])
    expect([refused.code, refused.stdout]).toEqual([2, ''])
    expect(refused.stderr).toContain('chain 137 is not a known test network')
    expect(asked).not.toContain('eth_getBlockByNumber')
    for (const flags of [
      ['--minter', FAUCET, '--worthless'],
      ['--stablecoin', addressOf('d5')],
    ]) {
      expect((await deploy([...roles, ...flags])).stderr).not.toContain('worth')
      expect(asked).toContain('eth_getBlockByNumber')
    }
    chainId = '0x13882'
  })

  test('but not by what the guide for operators says to type', async () => {
    const guide = readFileSync(new URL('../../docs/guides/operator/deployment.md', import.meta.url), 'utf8')
    const [line = ''] = /^rfqctl chain deploy [^#>\n]*/m.exec(guide.replaceAll('\\\n', ' ')) ?? []
    const flags = line.trim().split(/\s+/).slice(3)
    const given: Record<string, string> = {
      '"$STABLECOIN"': addressOf('d8'),
      '"$OWNER"': addressOf('d2'),
      '"$LISTING"': addressOf('d5'),
      '"$GUARDIAN"': addressOf('d6'),
      '"$HALTER"': addressOf('d9'),
      '"$CONDITIONAL_TOKENS"': addressOf('d7'),
      '"$SIGNER"': SIGNER,
      '.rfqctl/keystores/deployer.json': join(cwd, 'deployer.key'),
    }
    writeFileSync(join(cwd, 'deployer.key'), KEY, { mode: 0o600 })
    asked = []
    const argv = ['chain', 'deploy', ...flags.map((flag) => given[flag] ?? flag)]
    const { stderr } = await run(argv, { cwd, environment: { RPC_URL: node.url, CHAIN_ID: '80002' } })
    expect(stderr).not.toMatch(/is needed|unknown option|is no address/)
    expect(asked).toContain('eth_getBlockByNumber')
  })

  test('when the key of the deployer is public', async () => {
    const flags = ['--key-stdin', '--resolution-signer', SIGNER, '--minter', FAUCET]
    const { code, stderr } = await deploy(flags, publicDeployer.privateKey)
    expect(code).toBe(4)
    expect(stderr).toContain('the key of the deployer')
    expect(stderr).not.toContain(publicDeployer.privateKey)
  })

  test('unless it is said that these keys are public', async () => {
    const flags = ['--key-stdin', '--resolution-signer', SIGNER, '--minter', FAUCET, '--i-know-this-key-is-public']
    const { stderr } = await deploy(flags, publicDeployer.privateKey)
    expect(stderr).not.toContain('public')
    expect(asked).toContain('eth_getBlockByNumber')
  })
})
