import { encodeFunctionData, type Hex, parseEther, toHex, zeroAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readArtifact } from '../../../../src/onchain/deploy/artifact.ts'
import { type Anvil, startAnvil } from '../../../../src/onchain/devnet/anvil.ts'
import { createDevClient, type DevClient, devnetChain } from '../../../../src/onchain/devnet/client.ts'
import { serviceCoreAbi, testUsdAbi } from '../../../../src/protocol/contracts/abi.ts'
import { attestationDomain, attestationTypedData } from '../../../../src/protocol/domain/attestation.ts'
import { optionTypeNumber, type PackageOption, packLegs } from '../../../../src/protocol/domain/option.ts'
import {
  type PackageTerms,
  type SeriesTerms,
  seriesIdOf,
  type VanillaTerms,
} from '../../../../src/protocol/domain/series.ts'
import type { Address, ResolutionBps, StrikeBps } from '../../../../src/protocol/domain/units.ts'
import { createSeriesIndexer } from '../../../../src/relay/adapters/chain/indexer.ts'
import { createRpc, httpTransport, type Rpc } from '../../../../src/relay/adapters/chain/rpc.ts'
import { readSeriesState, readTradingCutoff } from '../../../../src/relay/adapters/chain/viem.ts'
import type { SeriesIndex } from '../../../../src/relay/core/ports/chain.ts'

const OWNER = privateKeyToAccount(`0x${'01'.repeat(32)}`)
const GUARDIAN = privateKeyToAccount(`0x${'02'.repeat(32)}`)
const SIGNERS = [3, 4, 5].map((key) => privateKeyToAccount(toHex(key, { size: 32 })))
const WINDOW_S = 7_200
const DAY_S = 86_400

let anvil: Anvil
let client: DevClient
let rpc: Rpc
let core: Address
let index: SeriesIndex
let markets = 0

beforeAll(async () => {
  anvil = await startAnvil({ port: 0, statePath: null, outlives: false })
  client = createDevClient(anvil.rpcUrl)
  rpc = createRpc(httpTransport(anvil.rpcUrl))
  for (const { address } of [OWNER, GUARDIAN, ...SIGNERS]) await client.setBalance({ address, value: parseEther('9') })
  const usd = {
    abi: testUsdAbi,
    bytecode: readArtifact('TestUSD').bytecode,
    args: [OWNER.address, OWNER.address],
  } as const
  const stablecoin = await created(await client.deployContract({ ...usd, account: OWNER }))
  const setup = {
    stablecoin,
    settlement: GUARDIAN.address,
    owner: OWNER.address,
    registrar: zeroAddress,
    guardian: GUARDIAN.address,
    halter: zeroAddress,
    resolutionSigner: SIGNERS[0]?.address as Address,
    tradingCutoff: 600n,
    disputeWindow: BigInt(WINDOW_S),
    conditionalTokens: zeroAddress,
    uri: '',
  }
  const { bytecode } = readArtifact('ServiceCore')
  core = await created(await client.deployContract({ abi: serviceCoreAbi, bytecode, args: [setup], account: OWNER }))
  index = createSeriesIndexer({ rpc, coreAddress: core, startBlock: 0n })
})
afterAll(() => anvil.stop())

async function created(hash: Hex): Promise<Address> {
  const { contractAddress } = await client.waitForTransactionReceipt({ hash })
  if (contractAddress == null) throw new Error('nothing was deployed')
  return contractAddress
}

async function send(account: typeof OWNER, call: Parameters<typeof encodeFunctionData<typeof serviceCoreAbi>>[0]) {
  const data = encodeFunctionData(call)
  const hash = await client.sendTransaction({ account, to: core, data, gas: 1_000_000n })
  const { status } = await client.waitForTransactionReceipt({ hash })
  expect(status).toBe('success')
}

const abi = serviceCoreAbi
const now = async () => Number((await client.getBlock()).timestamp)

async function wait(seconds: number) {
  await client.increaseTime({ seconds })
  await client.mine({ blocks: 1 })
}

/** A market with a call, a put and a spread that have expired, and a call that has not. */
async function expiredMarket() {
  markets += 1
  const expiry = (await now()) + DAY_S
  const market = { conditionId: toHex(markets, { size: 32 }), yesTokenId: `${markets}` }
  const call: VanillaTerms = { ...market, strikeBps: 4_000 as StrikeBps, optionType: 'call', expiry }
  const higher = { ...call, strikeBps: 6_000 as StrikeBps }
  const later = { ...call, expiry: expiry + 300 * DAY_S }
  for (const { strikeBps, optionType, expiry: at } of [call, higher, later]) {
    const args = [BigInt(at), optionTypeNumber(optionType)] as const
    const ids = [market.conditionId, BigInt(market.yesTokenId), zeroAddress] as const
    await send(OWNER, { abi, functionName: 'createSeries', args: [...ids, strikeBps, ...args] })
  }
  const legs: PackageOption['legs'] = [
    { optionType: 'call', strikeBps: call.strikeBps, quantity: 1 },
    { optionType: 'call', strikeBps: higher.strikeBps, quantity: -1 },
  ]
  const spread: PackageTerms = { ...market, expiry, legs }
  const args = [market.conditionId, BigInt(market.yesTokenId), BigInt(expiry), packLegs(legs)] as const
  await send(OWNER, { abi, functionName: 'createPackage', args })
  await wait(DAY_S)
  return { call, siblings: [call, higher, spread], later }
}

async function attest(terms: SeriesTerms, resolutionBps: number, signer = SIGNERS[0]) {
  const seriesId = seriesIdOf(terms)
  const validUntil = (await now()) + 600
  const attestation = { seriesId, resolutionBps: resolutionBps as ResolutionBps, validUntil }
  const signature = (await signer?.signTypedData(
    attestationTypedData(attestation, attestationDomain(devnetChain.id, core)),
  )) as Hex
  const args = [BigInt(seriesId), resolutionBps, BigInt(validUntil), signature] as const
  await send(GUARDIAN, { abi, functionName: 'settleWithAttestation', args })
}

async function appoint(signer: (typeof SIGNERS)[number] | undefined) {
  await send(OWNER, { abi, functionName: 'proposeRole', args: [2, signer?.address as Address] })
  await wait(3 * DAY_S)
  await send(signer as typeof OWNER, { abi, functionName: 'confirmRole', args: [2] })
}

const revoke = (signer: (typeof SIGNERS)[number] | undefined) =>
  send(GUARDIAN, { abi, functionName: 'removeFromRole', args: [2, signer?.address as Address] })

/** The prices of some series by the index, which must be those that the core itself gives. */
async function pricesOf(series: readonly SeriesTerms[]) {
  await index.refresh()
  return Promise.all(
    series.map(async (terms) => {
      const state = await rpc.read(({ view }) => readSeriesState(view, core, seriesIdOf(terms)))
      const found = await index.find(seriesIdOf(terms))
      expect(found).toEqual({ ...terms, seriesId: seriesIdOf(terms), ...state })
      return found?.resolutionBps
    }),
  )
}

test('an attestation and a veto of one series are for all series and packages of its market and expiry', async () => {
  const { siblings, later } = await expiredMarket()
  const [, higher, spread] = siblings as [SeriesTerms, SeriesTerms, SeriesTerms]
  const all = [...siblings, later]
  expect(await pricesOf(all)).toEqual([null, null, null, null])
  await attest(spread, 59)
  expect(await pricesOf(all)).toEqual([59, 59, 59, null])
  await send(GUARDIAN, { abi, functionName: 'vetoSeries', args: [BigInt(seriesIdOf(higher))] })
  expect(await pricesOf(all)).toEqual([null, null, null, null])
})

test('a revocation voids what its signer attested and is not final, and nothing else', async () => {
  const [first, second, third] = SIGNERS
  const [old, manual] = [await expiredMarket(), await expiredMarket()]
  await attest(old.call, 41)
  await wait(3 * DAY_S)
  await send(OWNER, { abi, functionName: 'proposeManual', args: [BigInt(seriesIdOf(manual.call)), 42] })
  await wait(DAY_S + 60)
  const fresh = await expiredMarket()
  await attest(fresh.call, 43)
  await send(OWNER, { abi, functionName: 'executeManual', args: [BigInt(seriesIdOf(manual.call))] })
  const all = [...old.siblings, ...manual.siblings, ...fresh.siblings]
  expect(await pricesOf(all)).toEqual([41, 41, 41, 42, 42, 42, 43, 43, 43])
  await revoke(first)
  expect(await pricesOf(all)).toEqual([41, 41, 41, 42, 42, 42, null, null, null])
  await appoint(second)
  await attest(fresh.call, 44, second)
  expect(await pricesOf(all)).toEqual([41, 41, 41, 42, 42, 42, 44, 44, 44])
  // A successor that takes office and is revoked within the window.
  await wait(WINDOW_S)
  await send(OWNER, { abi, functionName: 'proposeRole', args: [2, third?.address as Address] })
  await wait(3 * DAY_S)
  const last = await expiredMarket()
  await attest(last.call, 45, second)
  await send(third as typeof OWNER, { abi, functionName: 'confirmRole', args: [2] })
  await revoke(third)
  expect(await pricesOf([...all, ...last.siblings])).toEqual([41, 41, 41, 42, 42, 42, 44, 44, 44, 45, 45, 45])
})

test('the core says how long before expiry trading ends', async () => {
  expect(await readTradingCutoff(rpc, core)).toBe(600)
})
