import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pad, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createDevAccounts } from '../../src/onchain/devnet/accounts.ts'
import { startAnvil } from '../../src/onchain/devnet/anvil.ts'
import { createDevClient, type DevClient } from '../../src/onchain/devnet/client.ts'
import { readChainTime, warpChain } from '../../src/onchain/devnet/warp.ts'
import { serviceCoreAbi } from '../../src/protocol/contracts/abi.ts'
import { attestationTypedData, type SettlementAttestation } from '../../src/protocol/domain/attestation.ts'
import { type SeriesTerms, seriesIdOf } from '../../src/protocol/domain/series.ts'
import type { Address, Hex, ResolutionBps, StrikeBps } from '../../src/protocol/domain/units.ts'
import { decodeSignerQuestion, encodeSignerAnswer } from '../../src/protocol/wire/signing.ts'
import { createSystemClock } from '../../src/relay/adapters/clock.ts'
import { readLine } from '../../src/relay/adapters/signer/line.ts'
import { resolutionSignerOf } from '../../src/relay/adapters/signing.ts'
import { startSigner } from '../../src/relay/app/start-signer.ts'
import { LIVE_TWAP } from '../../src/relay/config/definitions.ts'
import { serveFrom } from '../cli/serving.ts'
import { run, temporaryDir, temporaryDirOfFile } from '../cli/support.ts'
import { httpServer, tcpServer } from '../kit/server.ts'
import { createFakeLog, type FakeLog } from '../support/fake-log.ts'

const KEYS = ['71', '72', '73'].map((byte): Hex => `0x${byte.repeat(32)}`)
const ADDRESSES = KEYS.map((key) => privateKeyToAccount(key).address)
const sorted = ADDRESSES.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
const CHAIN_ID = 80_002

let anvil: Awaited<ReturnType<typeof startAnvil>>
let dev: DevClient
let settings: Record<string, string>
/** Each of a market of its own, all of one expiry, which is over by the chain. */
const series: SeriesTerms[] = []
const MARKETS = [0, 1, 2, 3, 4, 5, 6]
const cwd = temporaryDirOfFile()

const rfqctl = async (line: string, environment: Record<string, string> = settings) => {
  const ran = await run(line.split(' '), { cwd, environment, ask: async () => 'yes' })
  return { ...ran, json: () => JSON.parse(ran.stdout.trim().split('\n').at(-1) ?? '') }
}

async function did(line: string, environment = settings) {
  const ran = await rfqctl(line, environment)
  expect({ line, code: ran.code, stderr: ran.code === 0 ? '' : ran.stderr }).toEqual({ line, code: 0, stderr: '' })
  return ran
}

beforeAll(async () => {
  anvil = await startAnvil({ port: 0, statePath: null, outlives: false })
  dev = createDevClient(anvil.rpcUrl)
  const deployed = await did(`chain deploy --signers ${ADDRESSES.join(',')} --threshold 2 --json`, {
    RPC_URL: anvil.rpcUrl,
  })
  settings = Object.fromEntries(Object.entries(deployed.json()).map(([name, value]) => [name, `${value}`]))
  const { deployer, faucet } = createDevAccounts()
  writeFileSync(join(cwd, 'owner.key'), deployer.privateKey, { mode: 0o600 })
  writeFileSync(join(cwd, 'stranger.key'), faucet.privateKey, { mode: 0o600 })
  const expiry = Math.ceil((await readChainTime(dev)) / 60) * 60 + 3_600
  for (const index of MARKETS) {
    const terms = { conditionId: pad(toHex(index + 1)), yesTokenId: `${4_000 + index}`, strikeBps: 4_500 as StrikeBps }
    series[index] = { ...terms, optionType: 'call', expiry }
    await did(
      `series create --condition-id ${terms.conditionId} --yes-token ${terms.yesTokenId} --type call --strike-bps 4500 --expires ${new Date(expiry * 1_000).toISOString().slice(0, 16)}Z --key-file owner.key`,
    )
  }
  await warp(expiry - (await readChainTime(dev)) + 60)
}, 60_000)
afterAll(() => anvil.stop())

/** A price source that has `cents` at each minute. */
async function sourceOf(cents: number): Promise<{ markets: string; prices: string }> {
  const { url } = await httpServer((response, { query }) => {
    const [from, to] = [Number(query.get('startTs')), Number(query.get('endTs'))]
    const count = query.has('market') ? Math.floor((to - from) / 60) + 1 : 0
    const history = Array.from({ length: count }, (_, n) => ({ t: from + n * 60, p: cents / 100 }))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(query.has('market') ? { history } : []))
  })
  return { markets: `${url}/markets`, prices: `${url}/prices` }
}

type Place = { folder: string; path: string; key: Hex; log: FakeLog }

/** What one of three signers does; those that do not answer have no process, or one that says nothing. */
type Conduct = (place: Place) => Promise<unknown>

/** Milliseconds that the chain is ahead of this machine, and so are the clocks of signers. */
let aheadMs = 0

async function warp(seconds: number): Promise<void> {
  aheadMs = (await warpChain(dev, seconds)) * 1_000 - Date.now()
}

/** By prices of its own. */
const signing =
  (cents: number): Conduct =>
  async ({ folder, path, key, log }) => {
    const { markets, prices } = await sourceOf(cents)
    const clock = createSystemClock()
    const { close } = await startSigner({
      signer: resolutionSignerOf(privateKeyToAccount(key)),
      rpcUrl: anvil.rpcUrl,
      environment: {
        chainId: CHAIN_ID,
        settlementAddress: settings.SETTLEMENT_ADDRESS as Address,
        coreAddress: settings.CORE_ADDRESS as Address,
        stablecoinAddress: settings.STABLECOIN_ADDRESS as Address,
      },
      socket: path,
      isForGroup: false,
      dataDir: folder,
      maxValidityS: 3_600,
      sources: { marketsUrl: markets, historyUrl: prices, limits: LIVE_TWAP, lagMs: 0 },
      clock: { ...clock, now: () => clock.now() + aheadMs },
      log,
    })
    onTestFinished(close)
  }

const dearest = (attestation: SettlementAttestation) => ({ ...attestation, resolutionBps: 100 as ResolutionBps })

/** Answers at once, and probes as it should, with a signature of its key for a price of 100. */
const lying: Conduct = async ({ path, key }) => {
  const account = privateKeyToAccount(key)
  await tcpServer(
    async (socket) => {
      const question = decodeSignerQuestion(await readLine(socket, 5_000))
      if (question.ask === 'address') return socket.end()
      const signature =
        question.ask === 'probe'
          ? await resolutionSignerOf(account).probe(question.domain)
          : await account.signTypedData(attestationTypedData(dearest(question.attestation), question.domain))
      return socket.end(`${encodeSignerAnswer({ address: account.address, signature, refusal: null })}\n`)
    },
    { path },
  )
}

const silent: Conduct = ({ path }) => tcpServer(() => {}, { path })

const dead: Conduct = async () => {}

type Prepared = { seriesId: string; resolutionBps: number; validUntil: number; signature: Hex; code?: string }

/** A relay with three signers, whose own price is `cents`, and what is settled by it. */
async function openRelay(conducts: readonly Conduct[], cents = 45) {
  const folder = temporaryDir()
  const log = createFakeLog()
  const paths = KEYS.map((_, index) => join(folder, `signer-${index + 1}.sock`))
  for (const [index, conduct] of conducts.entries()) {
    const own = join(folder, `signer-${index + 1}`)
    await conduct({ folder: own, path: paths[index] as string, key: KEYS[index] as Hex, log })
  }
  const { markets, prices } = await sourceOf(cents)
  const relay = await serveFrom(folder, {
    hasChain: true,
    argv: ['--memory'],
    environment: {
      ...settings,
      MAKER_API_KEYS: '[{"apiKey":"a-key-of-the-maker","makerId":"ada"}]',
      MARKETS_URL: markets,
      PRICE_HISTORY_URL: prices,
      SETTLE_LAG_MS: '0',
      OPERATOR_TOKEN: 'a-token-of-the-operator',
      RESOLUTION_SIGNER_SOCKET: paths.join(','),
    },
  })
  const prepare = async (index: number): Promise<{ status: number; body: Prepared }> => {
    const response = await fetch(`${relay.url}/settlement/prepare`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ seriesId: seriesIdOf(series[index] as SeriesTerms) }),
    })
    return { status: response.status, body: (await response.json()) as Prepared }
  }
  const metrics = async () => (await fetch(`${relay.url}/metrics`)).text()
  return { folder, paths, log, relay, prepare, metrics }
}

const priceOf = async (index: number) => {
  const { settled, resolutionBps } = await dev.readContract({
    address: settings.CORE_ADDRESS as Address,
    abi: serviceCoreAbi,
    functionName: 'getSeries',
    args: [BigInt(seriesIdOf(series[index] as SeriesTerms))],
  })
  return settled ? resolutionBps : null
}

/** Anyone brings what the relay gave to the chain. */
async function submit({ seriesId, resolutionBps, validUntil, signature }: Prepared) {
  const hash = await dev.writeContract({
    address: settings.CORE_ADDRESS as Address,
    abi: serviceCoreAbi,
    functionName: 'settleWithAttestation',
    args: [BigInt(seriesId), resolutionBps, BigInt(validUntil), signature],
    account: createDevAccounts().faucet.address,
    chain: null,
  })
  expect((await dev.waitForTransactionReceipt({ hash })).status).toBe('success')
}

describe('three signers, two of which have to sign:', () => {
  const bad: [string, Conduct, string, number][] = [
    ['lies', lying, 'wrong', 0],
    ['is silent', silent, 'silent', 1],
    ['is dead', dead, 'unreachable', 2],
    ['has a source that gives another price', signing(47), 'refused', 3],
  ]
  test.each(bad)('one that %s stops no settlement', async (_, conduct, outcome, index) => {
    const { prepare, metrics, paths } = await openRelay([signing(45), conduct, signing(46)])
    const { status, body } = await prepare(index)
    expect({ status, body }).toMatchObject({ status: 200, body: { resolutionBps: 45 } })
    await submit(body)
    expect(await priceOf(index)).toBe(45)
    // One that is silent is known to be so only once it has been waited for.
    const counted = new RegExp(`signer="${paths[1]}",outcome="${outcome}"} ([1-9]\\d*)`)
    if (outcome !== 'silent') await expect.poll(metrics).toMatch(counted)
  })

  const few: [string, readonly Conduct[], string][] = [
    ['lie', [lying, lying, signing(45)], 'signer_unavailable'],
    ['have another price than the relay', [signing(47), signing(12), signing(45)], 'signer_refused'],
    [
      'have another price, since the relay is the one that lies',
      [signing(55), signing(55), signing(45)],
      'signer_refused',
    ],
  ]
  test.each(few)('two that %s settle nothing', async (_, conducts, code) => {
    const { prepare } = await openRelay(conducts)
    expect(await prepare(4)).toMatchObject({ status: 503, body: { code } })
    expect(await priceOf(4)).toBeNull()
  })
})

test('the relay starts without one, uses it once it is there, and signs on for other keys without a restart', async () => {
  const { folder, paths, log, prepare } = await openRelay([signing(45), signing(45), dead])
  expect(await prepare(5)).toMatchObject({ status: 200 })
  const doctor = async () => {
    const environment = { ...settings, RESOLUTION_SIGNER_SOCKET: paths.join(',') }
    const { findings } = JSON.parse((await run(['doctor', '--json'], { cwd: folder, environment })).stdout)
    return findings.filter(({ check }: { check: string }) => check === 'signer')
  }
  expect(await doctor()).toMatchObject([
    { state: 'good', found: expect.stringMatching(/2 of its 3 keys .* 2 have to/) },
    { state: 'warning', found: expect.stringContaining(`${paths[2]} is unreachable`) },
  ])
  await signing(45)({ folder: join(folder, 'late'), path: paths[2] as string, key: KEYS[2] as Hex, log })
  expect(await doctor()).toMatchObject([
    { state: 'good', found: expect.stringMatching(/3 of its 3 keys .* 2 have to/) },
  ])

  // All three have to sign from now on: another contract, whose role anyone accepts for it.
  const created = await did(`chain signer create ${ADDRESSES.join(' ')} --threshold 3 --key-file owner.key --json`)
  const next = created.json().address
  expect((await did(`chain signer create ${ADDRESSES.join(' ')} --threshold 3 --dry-run --json`)).json().address).toBe(
    next,
  )
  await did(`chain signer propose ${next} --key-file owner.key --yes`)
  const early = await rfqctl('chain signer accept --key-file stranger.key --yes')
  expect(early.code).not.toBe(0)
  await warp(3 * 86_400)
  await did('chain signer accept --key-file stranger.key --yes')
  const code = await did('chain verify')
  expect(code.stdout).toContain(`${next}: the code of this version; 3 of ${sorted.join(', ')} sign`)
  const { status, body } = await prepare(6)
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { signature: expect.stringMatching(/^0x[0-9a-f]{390}$/) },
  })
  await submit(body)
  expect(await priceOf(6)).toBe(45)
})
