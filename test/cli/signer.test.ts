import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Devnet, startDevnet } from '../../src/onchain/devnet/start.ts'
import { type SeriesTerms, seriesIdOf } from '../../src/protocol/domain/series.ts'
import { fixtureSeries, readFixtureMarkets } from '../../src/relay/adapters/markets/fixture-markets.ts'
import { tcpServer } from '../kit/server.ts'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

let devnet: Devnet
let listed: readonly SeriesTerms[] = []

beforeAll(async () => {
  const markets = readFixtureMarkets()
  devnet = await startDevnet({
    dataDir: null,
    port: 0,
    seriesAt: (time) => {
      if (listed.length === 0) listed = fixtureSeries(markets, time)
      return listed
    },
    onStep: () => {},
  })
})
afterAll(() => devnet.stop())

/** A signer with the key of the chain's resolution signer, in the directory of its relay. */
async function startSigner() {
  const cwd = temporaryDir()
  writeFileSync(join(cwd, 'signer.key'), devnet.accounts.resolutionSigner.privateKey, { mode: 0o600 })
  const { settlementAddress, coreAddress, stablecoinAddress } = devnet.deployment
  const environment = {
    RPC_URL: devnet.rpcUrl,
    CHAIN_ID: String(devnet.chainId),
    SETTLEMENT_ADDRESS: settlementAddress,
    CORE_ADDRESS: coreAddress,
    STABLECOIN_ADDRESS: stablecoinAddress,
    RESOLUTION_SIGNER_SOCKET: 'signer.sock',
    SETTLE_LAG_MS: '0',
  }
  const end = new AbortController()
  let ended: Promise<{ code: number; stderr: string }> | undefined
  const ready = await new Promise<{ resolutionSigner: string; socket: string }>((resolve, reject) => {
    ended = run(['signer', 'serve', '--key-file', 'signer.key', '--json'], {
      cwd,
      environment: { ...environment, LOG_LEVEL: 'silent' },
      stop: end.signal,
      onStdout: (text) => resolve(JSON.parse(text)),
    })
    ended.then(({ stderr }) => reject(new Error(`the signer ended: ${stderr}`)), reject)
  })
  const stop = async () => {
    end.abort({ kind: 'signal', signal: 'SIGTERM' })
    return (await ended)?.code
  }
  onTestFinished(() => void stop())
  return { cwd, environment, ready, stop }
}

describe('a relay whose key is in a process of its own', () => {
  test('holds no key, names its holder, and learns why something is not signed', async () => {
    const { cwd, environment, ready, stop } = await startSigner()
    const { address } = devnet.accounts.resolutionSigner
    expect(ready).toMatchObject({ type: 'signer', resolutionSigner: address, socket: join(cwd, 'signer.sock') })
    expect(statSync(ready.socket).mode & 0o777).toBe(0o600)
    const relay = await serveFrom(cwd, { environment, hasChain: true })
    const findings = JSON.parse((await run(['doctor', '--json'], { cwd, environment })).stdout).findings
    const signer = findings.find(({ check }: { check: string }) => check === 'signer')
    expect(signer).toMatchObject({ state: 'good', found: `${address} is the active resolution signer` })

    // Its time was moved: by the clock of the signer the series has not expired.
    const [series] = listed.toSorted((one, other) => one.expiry - other.expiry) as [SeriesTerms]
    await devnet.warp(7_200)
    const answer = await fetch(`${relay.url}/settlement/prepare`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ seriesId: seriesIdOf(series) }),
    })
    expect(await answer.json()).toMatchObject({ code: 'signer_refused', error: expect.stringContaining('clock is at') })
    expect(await stop()).toBe(0)
    const gone = JSON.parse((await run(['doctor', '--json'], { cwd, environment })).stdout).findings
    expect(gone.find(({ check }: { check: string }) => check === 'signer')).toMatchObject({ state: 'fault' })
  })

  test('does not start where what answers is no signer', async () => {
    const { cwd, environment, ready, stop } = await startSigner()
    await stop()
    await tcpServer((socket) => void socket.end('hello\n'), { path: ready.socket })
    const { code, stderr } = await run(['serve', '--port', '0', '--json'], { cwd, environment })
    expect({ code, error: JSON.parse(stderr.trim().split('\n').at(-1) ?? '').code }).toEqual({
      code: 7,
      error: 'signer_unavailable',
    })
  })
})

test('a signer without a key says what it needs', async () => {
  const { code, stderr } = await run(['signer', 'serve'], { cwd: temporaryDir() })
  expect({ code, says: /no key given/.test(stderr) }).toEqual({ code: 2, says: true })
})

describe('a signer of which others have to believe that it checks', () => {
  const start = async (environment: Record<string, string>) => {
    const cwd = temporaryDir()
    writeFileSync(join(cwd, 'signer.key'), `0x${'41'.repeat(32)}`, { mode: 0o600 })
    const { settlementAddress, coreAddress, stablecoinAddress } = devnet.deployment
    const end = new AbortController()
    const ran = run(['signer', 'serve', '--key-file', 'signer.key', '--socket', 'own.sock', '--json'], {
      cwd,
      environment: {
        RPC_URL: devnet.rpcUrl,
        CHAIN_ID: String(devnet.chainId),
        SETTLEMENT_ADDRESS: settlementAddress,
        CORE_ADDRESS: coreAddress,
        STABLECOIN_ADDRESS: stablecoinAddress,
        LOG_LEVEL: 'silent',
        ...environment,
      },
      stop: end.signal,
      onStdout: (text) => {
        if (text.includes('own.sock')) queueMicrotask(() => end.abort({ kind: 'signal', signal: 'SIGTERM' }))
      },
    })
    return ran
  }
  const SOURCES = { MARKETS_URL: 'https://markets.example/m', PRICE_HISTORY_URL: 'https://prices.example/p' }

  test('says at its start whether it does', async () => {
    expect((await start(SOURCES)).stdout).toContain('"checksPrices":true')
    const blind = await start({})
    expect(blind.stdout).toContain('"checksPrices":false')
    expect(blind.stderr).toContain('MARKETS_URL, PRICE_HISTORY_URL is not set')
    expect((await start({ MARKETS_URL: SOURCES.MARKETS_URL })).stderr).toContain('"PRICE_HISTORY_URL is not set')
  })

  test('does not start in production without sources, but for ALLOW_FIXTURES', async () => {
    const { code, stderr } = await start({ NODE_ENV: 'production', MARKETS_URL: SOURCES.MARKETS_URL })
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('needs sources of its own') })
    expect((await start({ NODE_ENV: 'production', ...SOURCES })).code).toBe(0)
    expect((await start({ NODE_ENV: 'production', ALLOW_FIXTURES: 'true' })).code).toBe(0)
  })
})

test("a signer's person books one price, once, of a series that has expired", async () => {
  const { cwd, environment, stop } = await startSigner()
  await stop()
  const series = listed.toSorted((one, other) => one.expiry - other.expiry)
  const [first, last] = [series[0], series.at(-1)].map((terms) => seriesIdOf(terms as SeriesTerms))
  const agree = (seriesId = '', price = '0.45', ask: string | null = 'yes') =>
    run(['signer', 'agree', seriesId, '--price', price], {
      cwd,
      environment,
      ...(ask === null ? {} : { ask: async () => ask }),
    })
  await devnet.warp(7_200)
  expect((await agree(last)).stderr).toContain('has not expired')
  for (const answer of ['no', null]) expect((await agree(first, '0.45', answer)).stderr).toContain('nothing was booked')
  const { code, stdout, stderr } = await agree(first)
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('the signer signs $0.45 for') })
  expect(stderr).toContain((series[0] as SeriesTerms).conditionId)
  expect((await agree(first)).code).toBe(0)
  expect((await agree(first, '0.46')).stderr).toContain('the signer has $0.45 for this market and expiry already')
  const [domain = ''] = readdirSync(join(cwd, '.rfqctl', 'signer'))
  const [file = ''] = readdirSync(join(cwd, '.rfqctl', 'signer', domain))
  expect(JSON.parse(readFileSync(join(cwd, '.rfqctl', 'signer', domain, file), 'utf8'))).toMatchObject({
    resolutionBps: 45,
  })
})
