import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isRunning } from '../../../src/lib/process.ts'
import { startAnvil } from '../../../src/onchain/devnet/anvil.ts'
import { createDevClient } from '../../../src/onchain/devnet/client.ts'
import { type Devnet, startDevnet } from '../../../src/onchain/devnet/start.ts'
import { readChainTime } from '../../../src/onchain/devnet/warp.ts'
import { serviceCoreAbi, testUsdAbi } from '../../../src/protocol/contracts/abi.ts'
import { fixtureSeries, readFixtureMarkets } from '../../../src/relay/adapters/markets/fixture-markets.ts'
import { newFolder, removeFolder } from '../../kit/folder.ts'

const markets = readFixtureMarkets()
const DAY_S = 86_400
/** Outside the range from which free ports are given to others. */
const PORT = 20_000 + (process.pid % 10_000)

describe('the embedded chain of a data dir', () => {
  let dataDir: string
  let running: Devnet[]

  beforeEach(() => {
    dataDir = join(newFolder(), 'data')
    running = []
  })
  afterEach(async () => {
    for (const devnet of running) await devnet.stop()
    removeFolder(join(dataDir, '..'))
  })

  async function start({ port = 0, withSeries = false } = {}): Promise<Devnet> {
    const seriesAt = (chainTime: number) => (withSeries ? fixtureSeries(markets, chainTime) : [])
    const devnet = await startDevnet({ dataDir, port, seriesAt })
    running.push(devnet)
    return devnet
  }

  const recordPath = () => join(dataDir, 'anvil.json')
  const statePath = () => join(dataDir, 'chain-state.json')
  const portOf = ({ rpcUrl }: Devnet) => Number(new URL(rpcUrl).port)
  const readRecord = () => JSON.parse(readFileSync(recordPath(), 'utf8')) as Record<string, number>
  const time = ({ rpcUrl }: Devnet) => readChainTime(createDevClient(rpcUrl))
  const countSeries = async ({ rpcUrl, deployment }: Devnet) =>
    (
      await createDevClient(rpcUrl).getContractEvents({
        address: deployment.coreAddress,
        abi: serviceCoreAbi,
        eventName: 'SeriesCreated',
        fromBlock: 0n,
      })
    ).length
  const balanceOfTaker = ({ rpcUrl, deployment, accounts }: Devnet) =>
    createDevClient(rpcUrl).readContract({
      address: deployment.stablecoinAddress,
      abi: testUsdAbi,
      functionName: 'balanceOf',
      args: [accounts.takers[0]?.address ?? '0x'],
    })
  /** Leaves a mark on the chain that only this chain can have. */
  const spendOfTaker = async ({ rpcUrl, deployment, accounts }: Devnet) => {
    const client = createDevClient(rpcUrl)
    const hash = await client.writeContract({
      account: accounts.takers[0]?.address ?? '0x',
      address: deployment.stablecoinAddress,
      abi: testUsdAbi,
      functionName: 'transfer',
      args: [accounts.faucet.address, 1n],
    })
    await client.waitForTransactionReceipt({ hash })
  }

  it('continues where it stopped, with its logs and balances, and fresh series', async () => {
    const first = await start({ withSeries: true })
    const count = await countSeries(first)
    await spendOfTaker(first)
    await first.warp(600)
    await first.stop()
    expect(readdirSync(dataDir)).toEqual(['chain-state.json'])
    // As private as the keys that lie beside it in a data directory.
    expect(statSync(statePath()).mode & 0o077).toBe(0)

    const second = await start({ withSeries: true })
    expect(second.origin).toBe('restored')
    expect(second.deployment).toEqual(first.deployment)
    expect(await balanceOfTaker(second)).toBe(9_999_999_999n)
    expect(await countSeries(second)).toBeGreaterThan(count)
    expect(await countSeries(second)).toBeLessThanOrEqual(2 * count)
  })

  it('never goes back in time, also when it was warped far ahead', async () => {
    const first = await start()
    const warped = await first.warp(3 * DAY_S)
    await first.stop()
    const second = await start()
    expect(await time(second)).toBeGreaterThanOrEqual(warped)
    const client = createDevClient(second.rpcUrl)
    await client.mine({ blocks: 1 })
    expect(await time(second)).toBeGreaterThanOrEqual(warped)
    expect(await time(second)).toBeLessThan(warped + 60)
  })

  it('is found and gone on with after a run that was killed', async () => {
    const killed = await start()
    await spendOfTaker(killed)
    expect(readRecord()).toEqual({ pid: killed.pid, port: portOf(killed), ownerPid: process.pid })
    const next = await start()
    expect(next).toMatchObject({ origin: 'adopted', pid: killed.pid, rpcUrl: killed.rpcUrl })
    expect(await balanceOfTaker(next)).toBe(9_999_999_999n)
    await next.stop()
    expect(isRunning(killed.pid)).toBe(false)
    expect(existsSync(recordPath())).toBe(false)
  })

  it('is ended in order and restored when the next run wants another port', async () => {
    const killed = await start()
    await spendOfTaker(killed)
    const next = await start({ port: PORT })
    expect(next.origin).toBe('restored')
    expect(portOf(next)).toBe(PORT)
    expect(isRunning(killed.pid)).toBe(false)
    expect(await balanceOfTaker(next)).toBe(9_999_999_999n)
  })

  it('is not shared with a process that still runs', async () => {
    const devnet = await start()
    const record = readRecord()
    writeFileSync(recordPath(), JSON.stringify({ ...record, ownerPid: process.ppid }))
    await expect(start()).rejects.toMatchObject({
      name: 'DevnetInUseError',
      message: `The embedded chain of ${dataDir} is in use by process ${process.ppid}.`,
    })
    expect(isRunning(devnet.pid)).toBe(true)
  })

  it('leaves alone a process that has taken over the noted id', async () => {
    const devnet = await start()
    await devnet.stop()
    const bystander = await startAnvil({ port: 0, statePath: null, outlives: false })
    writeFileSync(recordPath(), JSON.stringify({ pid: bystander.pid, port: bystander.port, ownerPid: 999_999_999 }))
    const next = await start()
    expect(next.origin).toBe('restored')
    expect(isRunning(bystander.pid)).toBe(true)
    await bystander.stop()
  })

  it('is put aside for a fresh one when it does not hold the contracts of today', async () => {
    const devnet = await start()
    await devnet.stop()
    const other = await startAnvil({ port: 0, statePath: `${dataDir}/other.json`, outlives: false })
    await createDevClient(other.rpcUrl).mine({ blocks: 3 })
    await other.stop()
    writeFileSync(statePath(), readFileSync(join(dataDir, 'other.json')))
    const next = await start()
    expect(next.origin).toBe('fresh')
    expect(await balanceOfTaker(next)).toBe(10_000_000_000n)
    expect(next.aside).toBe(`${statePath()}.old`)
    expect(existsSync(`${statePath()}.old`)).toBe(true)
    // Only once: it is the chain of this folder from now on.
    await next.stop()
    expect(await start()).toMatchObject({ origin: 'restored', aside: null })
  })

  it('refuses to start over a state that cannot be read, and names the file', async () => {
    const devnet = await start()
    await devnet.stop()
    writeFileSync(statePath(), readFileSync(statePath()).subarray(0, 1_000))
    await expect(start()).rejects.toThrow(statePath())
    expect(statSync(statePath()).size).toBe(1_000)
  })

  it('says which port is taken', async () => {
    const other = await startAnvil({ port: 0, statePath: null, outlives: false })
    await expect(start({ port: other.port })).rejects.toThrow(
      `Anvil did not start on port ${other.port}: Error: Address already`,
    )
    await other.stop()
  })
})
