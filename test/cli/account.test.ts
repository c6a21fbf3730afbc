import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openAccount, refusePublicKey } from '../../src/cli/account.ts'
import type { Cli } from '../../src/cli/cli.ts'
import { createOutput } from '../../src/cli/output.ts'
import { writeSandbox } from '../../src/cli/sandbox.ts'
import { createDevAccounts } from '../../src/devnet/accounts.ts'
import { temporaryDir } from './support.ts'

const KEY = `0x${'1'.repeat(64)}`
const ADDRESS = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
const [maker] = createDevAccounts().makers

function cliIn(cwd: string, stdin = ''): Cli {
  const sink = { write: () => {} }
  return {
    out: createOutput({ stdout: sink, stderr: sink, isJson: false, allowsColor: false }),
    environment: {},
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

test('a key file that others can read is refused (reliability K2)', async () => {
  const cwd = temporaryDir()
  writeFileSync(join(cwd, 'key'), KEY)
  chmodSync(join(cwd, 'key'), 0o644)
  await expect(openAccount(cliIn(cwd), { account: 'taker-1', keyFile: 'key' })).rejects.toMatchObject({
    exitCode: 4,
    why: ['its mode is 644'],
    hint: 'chmod 600 key',
  })
})

test.each(['not a key', `0x${'0'.repeat(64)}`, ''])('what is no key is refused and not repeated: %j', async (text) => {
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
    why: ['there is maker-1'],
  })
})

test('without a sandbox the way to one is told', async () => {
  await expect(openAccount(cliIn(temporaryDir()), { account: 'taker-1' })).rejects.toMatchObject({
    code: 'no_sandbox',
    exitCode: 5,
    hint: 'start one in another terminal: rfqctl up',
  })
})

test("one of Anvil's keys is refused on a chain of others, unless one insists (reliability K3)", () => {
  const owner = maker?.address ?? ADDRESS
  expect(() => refusePublicKey(owner, 'https://rpc.example', {})).toThrow(
    expect.objectContaining({ code: 'public_key', exitCode: 4 }),
  )
  refusePublicKey(owner, 'https://rpc.example', { iKnowThisKeyIsPublic: true })
  refusePublicKey(owner, 'http://127.0.0.1:8545', {})
  refusePublicKey(owner, 'http://[::1]:8545', {})
  refusePublicKey(ADDRESS, 'https://rpc.example', {})
})
