import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevAccounts } from '../../src/onchain/devnet/accounts.ts'
import { type Anvil, startAnvil } from '../../src/onchain/devnet/anvil.ts'
import { createDevClient, type DevClient } from '../../src/onchain/devnet/client.ts'
import type { Hex } from '../../src/protocol/domain/units.ts'
import { temporaryDir, temporaryDirOfFile } from '../cli/support.ts'
import { buildWhenStale } from '../kit/build.ts'
import { type Child, startChild } from '../kit/child.ts'

const keyOf = (byte: string): Hex => `0x${byte.repeat(32)}`
const addressOf = (byte: string) => privateKeyToAccount(keyOf(byte)).address
const [DEPLOYER, OWNER, SIGNER, FAUCET] = ['d1', 'd2', 'd3', 'd4'].map(addressOf) as [Hex, Hex, Hex, Hex]

const cwd = temporaryDirOfFile()
let anvil: Anvil
let dev: DevClient

beforeAll(async () => {
  await buildWhenStale()
  anvil = await startAnvil({ port: 0, statePath: null, outlives: false })
  dev = createDevClient(anvil.rpcUrl)
  await dev.setBalance({ address: DEPLOYER, value: 10n ** 18n })
  await dev.setBalance({ address: OWNER, value: 10n ** 18n })
  for (const name of ['d1', 'd2']) writeFileSync(join(cwd, `${name}.key`), keyOf(name), { mode: 0o600 })
})

afterAll(() => anvil?.stop())

const deploy = (...flags: string[]): Child =>
  startChild(
    [
      ...['chain', 'deploy', '--rpc', anvil.rpcUrl, '--key-file', 'd1.key', '--owner', OWNER],
      ...['--resolution-signer', SIGNER, '--minter', FAUCET, ...flags],
    ],
    { cwd },
  )

test('a deployment that is killed after every transaction ends up whole, once, and a relay serves the first series on it', async () => {
  await dev.setAutomine(false)
  await dev.setIntervalMining({ interval: 0 })
  for (const step of ['test stablecoin', 'factory of this deployer']) {
    const child = deploy()
    await child.says(`create the ${step}: sent`)
    child.signal('SIGKILL')
    await child.ended
    await dev.mine({ blocks: 1 })
  }
  await dev.setAutomine(true)
  const last = deploy()
  expect(await last.ended).toBe(0)
  expect(last.stderr()).toContain('create core and settlement contract: done, at ')
  expect(last.stderr()).toContain('checked: chain, code, links, domains and roles are as planned')
  expect(await dev.getTransactionCount({ address: DEPLOYER })).toBe(3)

  const again = deploy('--json')
  expect(await again.ended).toBe(0)
  const settings = JSON.parse(again.stdout())
  expect(last.stdout()).toBe(`${environmentOf(settings).join('\n')}\n`)
  expect(await dev.getTransactionCount({ address: DEPLOYER })).toBe(3)
  const record = join(cwd, '.rfqctl', 'deployments', `80002-${settings.CORE_ADDRESS.toLowerCase()}.json`)
  expect((statSync(record).mode & 0o777).toString(8)).toBe('600')
  expect(readFileSync(record, 'utf8')).not.toContain(keyOf('d1').slice(2))

  const environment = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]))
  const series = startChild(
    [
      ...['series', 'create', '--condition-id', `0x${'7e'.repeat(32)}`, '--yes-token', '4242', '--type', 'call'],
      ...['--strike-bps', '5000', '--expires-in', '1d', '--key-file', 'd2.key', '--json'],
    ],
    // Nobody listens there.
    { cwd, environment: { ...environment, RFQCTL_URL: 'http://127.0.0.1:9' } },
  )
  expect(await series.ended).toBe(0)
  const { seriesId } = JSON.parse(series.stdout())

  const serve = startChild(['serve', '--memory', '--port', '0', '--json'], {
    cwd,
    environment: { ...environment, RESOLUTION_SIGNER_KEY: keyOf('d3'), FAUCET_PRIVATE_KEY: keyOf('d4') },
  })
  await serve.says('"ready"')
  const ready = JSON.parse(serve.stdout().split('\n')[0] ?? '')
  expect(ready).toMatchObject({
    settlementAddress: settings.SETTLEMENT_ADDRESS,
    coreAddress: settings.CORE_ADDRESS,
    stablecoinAddress: settings.STABLECOIN_ADDRESS,
    resolutionSigner: SIGNER,
  })
  const listed = (await (await fetch(`${ready.url}/v1/series`)).json()) as { series: unknown[] }
  expect(listed.series).toMatchObject([{ seriesId, strikeBps: 5_000, settled: false }])
  const dripped = await fetch(`${ready.url}/faucet`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ wallet: addressOf('d5') }),
  })
  // The faucet may mint, but has no coin to pay for it with.
  expect([dripped.status, (await dripped.json()) as unknown]).toMatchObject([503, { code: 'faucet_unavailable' }])
  serve.signal('SIGTERM')
  expect(await serve.ended).toBe(0)
})

test('without a key, on an Anvil that was used before, the toy market is deployed beside what is there', async () => {
  const { deployer } = createDevAccounts()
  const mined = await dev.sendTransaction({ account: deployer.address, chain: null, to: OWNER, value: 1n })
  await dev.waitForTransactionReceipt({ hash: mined })
  const folder = temporaryDir()
  const toy = startChild(['chain', 'deploy', '--rpc', anvil.rpcUrl, '--json'], { cwd: folder })
  expect([await toy.ended, toy.stderr()]).toEqual([0, ''])
  writeFileSync(join(folder, 'rfqctl.config.json'), toy.stdout())
  const serve = startChild(['serve', '--port', '0', '--json'], { cwd: folder })
  await serve.says('"ready"')
  const { url } = JSON.parse(serve.stdout().split('\n')[0] ?? '')
  const sandbox = JSON.parse(readFileSync(join(folder, '.rfqctl', 'sandbox.json'), 'utf8'))
  expect([sandbox.makers.length, sandbox.takers.length]).toEqual([5, 2])
  const { count } = (await (await fetch(`${url}/v1/series`)).json()) as { count: number }
  expect(count).toBeGreaterThan(20)
})

const environmentOf = (settings: Record<string, string | number>): string[] =>
  Object.entries(settings).map(([name, value]) => `${name}=${value}`)
