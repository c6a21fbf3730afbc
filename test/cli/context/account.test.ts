import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Cli } from '../../../src/cli/cli.ts'
import { openAccount, refusePublicKey } from '../../../src/cli/context/account.ts'
import { createOutput } from '../../../src/cli/terminal/output.ts'
import { createDevAccounts } from '../../../src/onchain/devnet/accounts.ts'
import { writeSandbox } from '../../../src/relay/app/sandbox-file.ts'
import { rpc } from '../../kit/plays.ts'
import { httpServer } from '../../kit/server.ts'
import { NOWHERE, temporaryDir } from '../support.ts'

const KEY = `0x${'1'.repeat(64)}`
const ADDRESS = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
const [maker] = createDevAccounts().makers

function cliIn(cwd: string, stdin = ''): Cli {
  const sink = { write: () => {} }
  return {
    out: createOutput({ stdout: sink, stderr: sink, isJson: false, allowsColor: false }),
    program: 'rfqctl',
    environment: {},
    defaults: NOWHERE,
    cwd,
    stop: new AbortController().signal,
    readStdin: async () => stdin,
  }
}

test('a key is read from a file that only its owner can read', async () => {
  const cwd = temporaryDir()
  writeFileSync(join(cwd, 'key'), `${KEY}\n`, { mode: 0o600 })
  const { account, name, apiKey } = await openAccount(cliIn(cwd), { account: 'taker-1', keyFile: 'key' })
  expect({ address: account.address, name, apiKey }).toEqual({ address: ADDRESS, name: null, apiKey: null })
})

test('a key is read from stdin', async () => {
  const { account } = await openAccount(cliIn(temporaryDir(), `${KEY}\n`), { account: 'taker-1', keyStdin: true })
  expect(account.address).toBe(ADDRESS)
})

test('a key file that others can read is refused (fault K2)', async () => {
  const cwd = temporaryDir()
  writeFileSync(join(cwd, 'key'), KEY)
  chmodSync(join(cwd, 'key'), 0o644)
  await expect(openAccount(cliIn(cwd), { account: 'taker-1', keyFile: 'key' })).rejects.toMatchObject({
    exitCode: 4,
    why: ['its mode is 644'],
    hint: 'chmod 600 key',
  })
})

test.each(['not a key', `0x${'0'.repeat(64)}`, ''])('an invalid key is refused and not repeated: %j', async (text) => {
  const refused = openAccount(cliIn(temporaryDir(), text), { account: 'taker-1', keyStdin: true })
  await expect(refused).rejects.toMatchObject({ code: 'bad_key', exitCode: 4 })
})

test('a wallet of the sandbox is found by its name', async () => {
  const cwd = temporaryDir()
  const address = '0x0000000000000000000000000000000000000001'
  writeSandbox(join(cwd, '.rfqctl'), {
    version: 1,
    pid: 1,
    url: 'http://127.0.0.1:1',
    wsUrl: 'ws://127.0.0.1:1',
    rpcUrl: null,
    chainId: 80_002,
    settlementAddress: address,
    coreAddress: address,
    stablecoinAddress: address,
    operatorToken: 'token',
    makers: maker === undefined ? [] : [{ name: 'maker-1', ...maker, apiKey: 'key' }],
    takers: [],
    registrar: null,
  })
  const { account, name, apiKey } = await openAccount(cliIn(cwd), { account: 'maker-1' })
  expect({ address: account.address, name, apiKey }).toEqual({
    address: maker?.address,
    name: 'maker-1',
    apiKey: 'key',
  })
  await expect(openAccount(cliIn(cwd), { account: 'maker-9' })).rejects.toMatchObject({
    exitCode: 5,
    why: ['the wallets here: maker-1'],
  })
})

test('without a sandbox the next step is shown', async () => {
  await expect(openAccount(cliIn(temporaryDir()), { account: 'taker-1' })).rejects.toMatchObject({
    code: 'no_sandbox',
    exitCode: 5,
    hint: 'start one in another terminal: rfqctl up',
  })
})

/** A node on this machine that says what it is, and nothing else. */
const startNode = async (clientVersion: string): Promise<string> => (await httpServer(rpc(() => clientVersion))).url

test("one of Anvil's keys is refused on a chain of others, unless one insists (fault K3)", async () => {
  const owner = maker?.address ?? ADDRESS
  const refused = { code: 'public_key', exitCode: 4 }
  await expect(refusePublicKey(owner, 'https://rpc.example', {})).rejects.toMatchObject(refused)
  await refusePublicKey(owner, 'https://rpc.example', { iKnowThisKeyIsPublic: true })
  await refusePublicKey(ADDRESS, 'https://rpc.example', {})
})

test("one of Anvil's keys is refused on a local address behind which there is no Anvil (fault K3)", async () => {
  const owner = maker?.address ?? ADDRESS
  const geth = await startNode('Geth/v1.14.0')
  await expect(refusePublicKey(owner, geth, {})).rejects.toMatchObject({
    code: 'public_key',
    why: ['it runs Geth/v1.14.0', expect.any(String)],
  })
  await refusePublicKey(owner, geth, { iKnowThisKeyIsPublic: true })
  await refusePublicKey(ADDRESS, geth, {})
  await refusePublicKey(owner, await startNode('anvil/v1.7.1'), {})
  await refusePublicKey(owner, 'http://[::1]:1', {})
})
