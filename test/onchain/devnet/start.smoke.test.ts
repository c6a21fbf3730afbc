import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isRunning } from '../../../src/lib/process.ts'
import { findMismatches } from '../../../src/onchain/deploy/inspect.ts'
import { createDevClient, type DevClient } from '../../../src/onchain/devnet/client.ts'
import { registerSeries } from '../../../src/onchain/devnet/seed.ts'
import { type Devnet, startDevnet } from '../../../src/onchain/devnet/start.ts'
import { readChainTime } from '../../../src/onchain/devnet/warp.ts'
import { serviceCoreAbi, testUsdAbi } from '../../../src/protocol/contracts/abi.ts'
import { type SeriesTerms, seriesIdOf } from '../../../src/protocol/domain/series.ts'
import { fixtureSeries, readFixtureMarkets } from '../../../src/relay/adapters/markets/fixture-markets.ts'

const markets = readFixtureMarkets()

describe('the embedded chain', () => {
  let devnet: Devnet
  let client: DevClient
  let series: SeriesTerms[]
  let startedAt: number

  beforeAll(async () => {
    startedAt = Math.floor(Date.now() / 1_000)
    devnet = await startDevnet({
      dataDir: null,
      port: 0,
      seriesAt: (time) => {
        series = fixtureSeries(markets, time)
        return series
      },
    })
    client = createDevClient(devnet.rpcUrl)
  })
  afterAll(() => devnet.stop())

  const balanceOf = (wallet: `0x${string}`) =>
    client.readContract({
      address: devnet.deployment.stablecoinAddress,
      abi: testUsdAbi,
      functionName: 'balanceOf',
      args: [wallet],
    })
  const core = () => ({ address: devnet.deployment.coreAddress, abi: serviceCoreAbi }) as const
  const createdLogs = () => client.getContractEvents({ ...core(), eventName: 'SeriesCreated', fromBlock: 0n })

  it('is chain 80002 on a loopback port of its own choice', async () => {
    expect(devnet.origin).toBe('fresh')
    expect(devnet.rpcUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d{4,5}$/)
    expect(await client.getChainId()).toBe(80_002)
  })

  it('serves no web page', async () => {
    const page = { origin: 'https://page.example' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_mine', params: ['0x5'] })
    const before = await client.getBlockNumber({ cacheTime: 0 })
    const asks = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' }
    const preflight = await fetch(devnet.rpcUrl, { method: 'OPTIONS', headers: { ...page, ...asks } })
    expect({ isGranted: preflight.ok, origin: preflight.headers.get('access-control-allow-origin') }).toEqual({
      isGranted: false,
      origin: null,
    })
    // What a page may send without asking first.
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const answer = await fetch(devnet.rpcUrl, { method: 'POST', headers: { ...page, 'content-type': type }, body })
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
      expect(await answer.json()).toMatchObject({ error: { message: 'Invalid request' } })
    }
    expect((await client.getBlockNumber({ cacheTime: 0 })) - before).toBeLessThan(5n)
  })

  it('has the contracts of the artifacts, which name each other', async () => {
    expect(await findMismatches(client, { chainId: devnet.chainId, ...devnet.deployment })).toEqual([])
  })

  it('tells a deployment that is not ours', async () => {
    const { stablecoinAddress, coreAddress, settlementAddress } = devnet.deployment
    expect(
      await findMismatches(client, {
        chainId: devnet.chainId,
        stablecoinAddress,
        coreAddress: settlementAddress,
        settlementAddress: coreAddress,
      }),
    ).toEqual([
      `the code at ${settlementAddress} is not ServiceCore`,
      `the code at ${coreAddress} is not ServiceRFQSettlement`,
    ])
  })

  it('gives each role an own wallet, as the contracts see them', async () => {
    const { deployer, resolutionSigner, faucet } = devnet.accounts
    expect(await client.readContract({ ...core(), functionName: 'owner' })).toBe(deployer.address)
    expect(await client.readContract({ ...core(), functionName: 'resolutionSigner' })).toBe(resolutionSigner.address)
    const token = { address: devnet.deployment.stablecoinAddress, abi: testUsdAbi } as const
    const role = await client.readContract({ ...token, functionName: 'MINTER_ROLE' })
    const args = [role, faucet.address] as const
    expect(await client.readContract({ ...token, functionName: 'hasRole', args })).toBe(true)
  })

  it('has registered every fixture series', async () => {
    const logs = await createdLogs()
    expect(new Set(logs.map(({ args }) => String(args.seriesId)))).toEqual(new Set(series.map(seriesIdOf)))
  })

  it('registers none twice', async () => {
    const owner = devnet.accounts.deployer.address
    await registerSeries(client, { owner, coreAddress: devnet.deployment.coreAddress, series })
    expect(await createdLogs()).toHaveLength(series.length)
  })

  it('says which transaction failed', async () => {
    const [terms] = series as [SeriesTerms]
    const past = { ...terms, expiry: 1 }
    const owner = devnet.accounts.deployer.address
    await expect(
      registerSeries(client, { owner, coreAddress: devnet.deployment.coreAddress, series: [past] }),
    ).rejects.toThrow(`The transaction to register series ${seriesIdOf(past)} reverted.`)
  })

  it('has paid makers, with their approvals to both contracts, and takers, without any', async () => {
    const { stablecoinAddress, coreAddress, settlementAddress } = devnet.deployment
    const allowance = (owner: `0x${string}`, spender: `0x${string}`) =>
      client.readContract({
        address: stablecoinAddress,
        abi: testUsdAbi,
        functionName: 'allowance',
        args: [owner, spender],
      })
    for (const { address } of devnet.accounts.makers) {
      expect(await balanceOf(address)).toBe(1_000_000_000_000n)
      expect(await allowance(address, coreAddress)).toBe(2n ** 256n - 1n)
      expect(await allowance(address, settlementAddress)).toBe(2n ** 256n - 1n)
    }
    for (const { address } of devnet.accounts.takers) {
      expect(await balanceOf(address)).toBe(10_000_000_000n)
      expect(await allowance(address, coreAddress)).toBe(0n)
    }
  })

  it('starts at the time of the machine, and can be moved ahead of it by whole seconds', async () => {
    const before = await readChainTime(client)
    expect(before).toBeGreaterThanOrEqual(startedAt)
    const after = await devnet.warp(3_600)
    expect(after - before).toBeGreaterThanOrEqual(3_600)
    expect(after - before).toBeLessThan(3_660)
    await expect(devnet.warp(-1)).rejects.toThrow('Chain time cannot move by -1 seconds.')
    await expect(devnet.warp(0.5)).rejects.toThrow('Chain time cannot move by 0.5 seconds.')
  })

  it.runIf(existsSync('/proc/self/environ'))('inherits nothing of our environment', () => {
    const variables = readFileSync(`/proc/${devnet.pid}/environ`, 'utf8').split('\0').filter(Boolean)
    const ofTheShell = /^(PWD|OLDPWD|SHLVL|_)=/
    expect(variables.filter((variable) => !ofTheShell.test(variable))).toEqual([])
  })
})

it('is gone once stopped, also when it is stopped twice', async () => {
  const devnet = await startDevnet({ dataDir: null, port: 0, seriesAt: () => [] })
  await Promise.all([devnet.stop(), devnet.stop()])
  expect(isRunning(devnet.pid)).toBe(false)
  await expect(createDevClient(devnet.rpcUrl).getChainId()).rejects.toThrow()
})
