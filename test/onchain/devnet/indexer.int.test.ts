import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevClient, type DevClient } from '../../../src/onchain/devnet/client.ts'
import { registerSeries } from '../../../src/onchain/devnet/seed.ts'
import { type Devnet, startDevnet } from '../../../src/onchain/devnet/start.ts'
import { serviceCoreAbi } from '../../../src/protocol/contracts/abi.ts'
import { attestationDomain, attestationTypedData } from '../../../src/protocol/domain/attestation.ts'
import { type SeriesId, type SeriesTerms, seriesIdOf } from '../../../src/protocol/domain/series.ts'
import type { Address, ResolutionBps, StrikeBps } from '../../../src/protocol/domain/units.ts'
import { createCheckpointFile } from '../../../src/relay/adapters/chain/checkpoint-file.ts'
import { createSeriesIndexer } from '../../../src/relay/adapters/chain/indexer.ts'
import { createRpc, httpTransport } from '../../../src/relay/adapters/chain/rpc.ts'
import type { SeriesIndex } from '../../../src/relay/core/ports/chain.ts'
import { newFolder, removeFolder } from '../../kit/folder.ts'

/** As many as a chain may take for not final; the sandbox's are final sooner, so that these reorganisations go deeper. */
const UNFINAL_BLOCKS = 64

describe('the series indexer on a chain that is reorganised', () => {
  let devnet: Devnet
  let client: DevClient
  let coreAddress: Address
  let strikes = 0

  beforeAll(async () => {
    devnet = await startDevnet({ dataDir: null, port: 0, seriesAt: () => [] })
    client = createDevClient(devnet.rpcUrl)
    coreAddress = devnet.deployment.coreAddress
    await client.mine({ blocks: 3 * UNFINAL_BLOCKS })
  })
  afterAll(() => devnet.stop())

  const open = (options: Partial<Parameters<typeof createSeriesIndexer>[0]> = {}): SeriesIndex =>
    createSeriesIndexer({
      rpc: createRpc(httpTransport(devnet.rpcUrl)),
      coreAddress,
      startBlock: 0n,
      overlapBlocks: 8n,
      ...options,
    })

  async function register(expiresInS = 3_600): Promise<SeriesId> {
    strikes += 1
    const { timestamp } = await client.getBlock()
    const terms: SeriesTerms = {
      conditionId: `0x${'66'.repeat(32)}`,
      yesTokenId: '6',
      strikeBps: strikes as StrikeBps,
      expiry: Number(timestamp) + expiresInS,
      optionType: 'put',
    }
    await registerSeries(client, { owner: devnet.accounts.deployer.address, coreAddress, series: [terms] })
    return seriesIdOf(terms)
  }

  async function settle(seriesId: SeriesId): Promise<void> {
    const now = await devnet.warp(61)
    const attestation = { seriesId, resolutionBps: 59 as ResolutionBps, validUntil: now + 900 }
    const signer = privateKeyToAccount(devnet.accounts.resolutionSigner.privateKey)
    const domain = attestationDomain(devnet.chainId, coreAddress)
    const signature = await signer.signTypedData(attestationTypedData(attestation, domain))
    const hash = await client.writeContract({
      address: coreAddress,
      abi: serviceCoreAbi,
      account: devnet.accounts.takers[0]?.address as Address,
      functionName: 'settleWithAttestation',
      args: [BigInt(seriesId), 59, BigInt(attestation.validUntil), signature],
    })
    await client.waitForTransactionReceipt({ hash })
  }

  const head = () => client.getBlockNumber({ cacheTime: 0 })

  /** Replaces the blocks after `block` by empty ones, and that one too, in case one more is mined meanwhile. */
  async function reorganise(block: bigint): Promise<void> {
    const depth = Number((await head()) - block) + 1
    await client.request<{ Method: string; Parameters: unknown[]; ReturnType: unknown }>({
      method: 'anvil_reorg',
      params: [depth, []],
    })
  }
  it.each([1, 5, UNFINAL_BLOCKS - 8])(
    'forgets a series that a reorganisation took with %i blocks after it',
    async (depth) => {
      const index = open()
      const before = await head()
      const seriesId = await register()
      await client.mine({ blocks: depth - 1 })
      await index.refresh()
      expect(await index.find(seriesId)).not.toBeNull()
      await reorganise(before)
      await index.refresh()
      expect(await index.find(seriesId)).toBeNull()
    },
  )

  it('takes back a settlement with its block, and keeps the series', async () => {
    const index = open({ chunkBlocks: 50n })
    const seriesId = await register(60)
    await client.mine({ blocks: 1 })
    const before = await head()
    await settle(seriesId)
    await index.refresh()
    expect(await index.find(seriesId)).toMatchObject({ resolutionBps: 59 })
    await reorganise(before)
    await index.refresh()
    expect(await index.find(seriesId)).toMatchObject({ resolutionBps: null })
  })

  it('continues from its file after a restart, also when the chain has changed behind what was not final', async () => {
    const folder = newFolder()
    const origin = { chainId: devnet.chainId, coreAddress, startBlock: 0 }
    const keeper = createCheckpointFile(join(folder, 'series-index.json'), origin)
    const final = await register()
    await client.mine({ blocks: 2 * UNFINAL_BLOCKS })
    const before = await head()
    const late = await register()
    await open({ keeper }).refresh()
    expect((await keeper.load())?.block).toBeGreaterThan(0n)
    await reorganise(before)
    const next = open({ keeper })
    await next.refresh()
    expect(await next.find(final)).not.toBeNull()
    expect(await next.find(late)).toBeNull()
    const fresh = open()
    await fresh.refresh()
    expect(await next.list()).toEqual(await fresh.list())
    removeFolder(folder)
  })
})
