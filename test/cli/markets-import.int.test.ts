import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevClient } from '../../src/onchain/devnet/client.ts'
import { type Devnet, startDevnet } from '../../src/onchain/devnet/start.ts'
import { type GammaServer, gammaFixture, startGamma } from '../support/gamma-server.ts'
import { wordsOf } from './help-texts.ts'
import { serveFrom } from './serving.ts'
import { type Ran, run, temporaryDir } from './support.ts'

let gamma: GammaServer
beforeAll(async () => {
  gamma = await startGamma()
})
afterAll(() => gamma.close())

const [KRONE, TUNNEL] = gammaFixture('markets').map(({ conditionId }) => String(conditionId))

/** A sandbox with a relay, and its command line. */
async function open() {
  const cwd = temporaryDir()
  await serveFrom(cwd, { hasChain: true })
  const rfqctl = (line: string): Promise<Ran> => run(wordsOf(line), { cwd })
  const documents = async (line: string) => {
    const { code, stdout, stderr } = await rfqctl(`${line} --json`)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text))
  }
  return { cwd, rfqctl, documents }
}

const planOf = (more = '') =>
  `markets import --from ${gamma.url} --query norvik --strikes 25,50 --expiries weekly ${more}`

describe('markets import', () => {
  test('a plan shows what would be registered and why the rest is not, and sends nothing', async () => {
    const { rfqctl, documents } = await open()
    const [plan] = await documents(planOf())
    expect(plan).toMatchObject({ type: 'listing_plan', add: 4, exist: 0, later: 0 })
    expect(plan.gas).toBeGreaterThan(4 * 30_000)
    expect(plan.series[0]).toMatchObject({ conditionId: KRONE, strikeBps: 2_500, optionType: 'call', exists: false })
    expect(plan.leftOut.map(({ reason }: { reason: string }) => reason)).toEqual([
      'it has no YES token',
      'the market ends before, at 2026-01-02T00:00:00Z',
      'it takes no orders, and so has no price',
    ])
    const { stdout, stderr } = await rfqctl(planOf())
    expect(stdout).toMatch(/^\+ 4 series, gas \d+k, 0 exist, 3 left out\n/)
    expect(stdout).toMatch(/\n\+ +call +\$0\.25 +\d{4}-\d\d-\d\dT08:00:00Z +Will the Norvik krone/)
    expect(stderr).toContain('nothing was sent; the same command with --apply registers them')
    expect(await documents(planOf())).toMatchObject([{ add: 4, exist: 0 }])
  })

  test('it is applied once: what exists is not sent again, and the relay trades it at once', async () => {
    const { rfqctl, documents } = await open()
    const [plan, ...created] = await documents(planOf('--apply'))
    expect(plan).toMatchObject({ add: 4 })
    expect(created.map(({ type }) => type)).toEqual(Array(4).fill('series_created'))
    expect(created.map(({ seriesId }) => seriesId)).toEqual(
      plan.series.map((row: { seriesId: string }) => row.seriesId),
    )
    expect(created[0]).toMatchObject({ conditionId: KRONE, txHash: expect.stringMatching(/^0x/) })
    expect(await documents(`series get ${created[0].seriesId}`)).toMatchObject([{ state: 'open', strikeBps: 2_500 }])
    expect(await documents(planOf('--apply'))).toEqual([expect.objectContaining({ add: 0, exist: 4, gas: 0 })])
    expect((await rfqctl(planOf('--apply'))).stdout).toMatch(/^\+ 0 series, 4 exist, 3 left out\n/)
    const calldata = await rfqctl(planOf('--calldata'))
    expect([calldata.code, calldata.stderr]).toEqual([3, expect.stringContaining('there is nothing to send')])
  })

  test('a run that was cut short is resumed by the same command', async () => {
    const { documents } = await open()
    const first = await documents(planOf('--apply --max-series 3'))
    expect(first[0]).toMatchObject({ add: 3, exist: 0, later: 1 })
    expect(first).toHaveLength(4)
    const second = await documents(planOf('--apply --max-series 3'))
    expect(second[0]).toMatchObject({ add: 1, exist: 3, later: 0 })
    expect(second).toHaveLength(2)
  })

  test('markets are named by their conditions, of which one is closed', async () => {
    const { rfqctl, documents } = await open()
    const closed = gammaFixture('markets-closed')[0]?.conditionId
    const line = `markets import --from ${gamma.url} --strikes 50 --expiries weekly --types put`
    const [plan] = await documents(`${line} --condition-id ${TUNNEL} --condition-id ${closed} --condition-id ${TUNNEL}`)
    expect(plan.series).toMatchObject([{ conditionId: TUNNEL, optionType: 'put' }])
    expect(plan.leftOut).toMatchObject([{ conditionId: closed, reason: 'it is closed' }])
    const unknown = await rfqctl(`${line} --condition-id 0x${'00'.repeat(32)}`)
    expect([unknown.code, unknown.stderr]).toEqual([5, expect.stringContaining('the source has no market 0x000000')])
  })

  test('for a multi-signature wallet the calls are printed, and nothing is sent', async () => {
    const { rfqctl, documents } = await open()
    const { code, stdout, stderr } = await rfqctl(planOf('--calldata'))
    expect(code).toBe(0)
    expect(JSON.parse(stdout).transactions).toHaveLength(4)
    expect(stderr).toMatch(/about to +register 4 series/)
    expect(stderr).toMatch(/who may +the registrar 0x/)
    expect(await documents(planOf())).toMatchObject([{ add: 4, exist: 0 }])
  })

  test.each([
    [`markets import --from ftp://x --strikes 25 --expiries weekly`, 'Expected an http(s) URL'],
    [`markets import --strikes 25 --expiries weekly`, 'no source of markets given'],
    [`markets import --strikes 0 --expiries weekly`, 'Expected strikes in cents'],
    [`markets import --strikes 100 --expiries weekly`, 'Expected strikes in cents'],
    [`markets import --strikes 25 --expiries yearly`, 'Expected one or more of daily, weekly, monthly'],
    [`markets import --strikes 25 --expiries weekly --types straddle`, 'Expected one or more of call, put'],
    [`markets import --strikes 25 --expiries weekly --max-markets 101`, 'Expected at most 100'],
    [`markets import --strikes 25 --expiries weekly --apply --calldata`, 'cannot be used with'],
  ])('"%s" is refused', async (line, words) => {
    const { code, stderr } = await run(wordsOf(line), { cwd: temporaryDir() })
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(words) })
  })
})

describe('on a chain without a relay', () => {
  const KEY = `0x${'7b'.repeat(32)}` as const
  let devnet: Devnet
  beforeAll(async () => {
    devnet = await startDevnet({ dataDir: null, port: 0, seriesAt: () => [] })
  })
  afterAll(() => devnet.stop())

  test('a plan needs no key; a key that may not register is refused before anything is sent', async () => {
    const cwd = temporaryDir()
    writeFileSync(join(cwd, 'registrar.key'), KEY, { mode: 0o600 })
    await createDevClient(devnet.rpcUrl).setBalance({ address: privateKeyToAccount(KEY).address, value: 10n ** 18n })
    const { settlementAddress, coreAddress, stablecoinAddress } = devnet.deployment
    const environment = {
      RPC_URL: devnet.rpcUrl,
      CHAIN_ID: String(devnet.chainId),
      SETTLEMENT_ADDRESS: settlementAddress,
      CORE_ADDRESS: coreAddress,
      STABLECOIN_ADDRESS: stablecoinAddress,
      MARKETS_URL: gamma.url,
    }
    const rfqctl = (more: string) =>
      run(wordsOf(`markets import --query krone --strikes 50 --expiries weekly ${more}`), { cwd, environment })
    expect((await rfqctl('')).stdout).toMatch(/^\+ 2 series, gas \d+k, 0 exist\n/)
    const refused = await rfqctl('--apply --key-file registrar.key')
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('can register 2 series')])
    expect((await rfqctl('')).stdout).toMatch(/^\+ 2 series/)
  })
})
