import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { saveRequest } from '../../../src/cli/context/saved-requests.ts'
import { createDevAccounts } from '../../../src/onchain/devnet/accounts.ts'
import { encryptKey } from '../../../src/relay/adapters/keystore.ts'
import { writeSandbox } from '../../../src/relay/app/sandbox-file.ts'
import { planSandbox } from '../../../src/relay/app/sandbox-plan.ts'
import { savedRequestOf } from '../saved-request-fixture.ts'
import { temporaryDir } from '../support.ts'

/** Nothing listens there: the ports belong to nobody. */
const RELAY = 'http://127.0.0.1:2'
const CHAIN = 'http://127.0.0.1:3'

const ADDRESS = '0x0000000000000000000000000000000000000001'
const accounts = createDevAccounts()
const keys = { makers: [], operatorToken: null, settlementApiKey: null, resolutionSigner: null, faucet: null }

/** A keystore whose password is `right`, quick to open. */
const keystore = encryptKey(accounts.deployer, 'right', { n: 1_024 })

/**
 * A directory as it is when a relay and its chain have gone: a sandbox that names them, a request, a login, a keystore.
 * `rpcUrl` is a chain that is there after all.
 */
export function leftBehind({ rpcUrl = CHAIN }: { rpcUrl?: string } = {}): string {
  const cwd = temporaryDir()
  const dataDir = join(cwd, '.rfqctl')
  const { staticKeys: _, ...wallets } = planSandbox({
    settings: { keys, isOpen: false },
    accounts,
    former: null,
    newSecret: () => 'secret',
  })
  writeSandbox(dataDir, {
    version: 1,
    pid: 4_194_304,
    url: RELAY,
    wsUrl: 'ws://127.0.0.1:2',
    rpcUrl,
    identityUrl: 'http://127.0.0.1:4',
    chainId: 80_002,
    settlementAddress: ADDRESS,
    coreAddress: ADDRESS,
    stablecoinAddress: ADDRESS,
    ...wallets,
  })
  saveRequest(dataDir, savedRequestOf('request-1', 1))
  writeFileSync(join(dataDir, 'login.json'), JSON.stringify({ url: RELAY, accessToken: 'token' }), { mode: 0o600 })
  mkdirSync(join(dataDir, 'keystores'), { mode: 0o700 })
  writeFileSync(join(dataDir, 'keystores', 'desk.json'), JSON.stringify(keystore), { mode: 0o600 })
  return cwd
}
