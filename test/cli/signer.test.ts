import { statSync, writeFileSync } from 'node:fs'
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
