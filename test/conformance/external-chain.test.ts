import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import { type RelayProcess, startRelay } from '../kit/relay-process.ts'
import { createTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { type Attestation, seriesIdOf } from './harness/chain.ts'
import { keysOf } from './harness/keys.ts'
import { failure } from './harness/match.ts'
import { createService, openChainService, type Service } from './harness/service.ts'
import { trade } from './harness/trade.ts'

const SETTLEMENT_KEY = 'a-settlement-key-of-this-suite'

type Market = { name: string; conditionId: string; yesClobTokenId: string }

/** A second relay on the chain of the first, behind a wire that can be cut. Its tests run in order. */
describe('a relay on an external chain', () => {
  const owner = openChainService(import.meta.url)
  let proxy: TcpProxy
  let relay: RelayProcess
  let service: Service

  beforeAll(async () => {
    const { rpcUrl, chainId, settlementAddress, coreAddress, stablecoinAddress } = inject('relays').embedded
    proxy = await createTcpProxy({ host: '127.0.0.1', port: Number(new URL(String(rpcUrl)).port) })
    const keys = keysOf(import.meta.url).slice(30)
    relay = await startRelay({
      flags: ['--memory', '--rpc', `http://127.0.0.1:${proxy.port}`],
      env: {
        CHAIN_ID: String(chainId),
        SETTLEMENT_ADDRESS: settlementAddress,
        CORE_ADDRESS: coreAddress,
        STABLECOIN_ADDRESS: stablecoinAddress,
        MAKER_API_KEYS: JSON.stringify(keys),
        SERIES_REFRESH_MS: '300',
        SETTLEMENT_API_KEY: SETTLEMENT_KEY,
      },
    })
    service = createService('embedded', { ...relay.ready, rpcUrl }, keys)
  })
  afterAll(async () => {
    await relay.stop()
    await proxy.close()
  })

  /** A maker of this relay whose wallet the other relay's faucet has paid. */
  async function maker() {
    const made = await service.maker({ funded: false })
    await owner.fund(made.wallet)
    return made
  }

  const prepare = (seriesId: string, key: string) =>
    service.call('POST', '/settlement/prepare', { body: { seriesId }, headers: { authorization: `Bearer ${key}` } })

  it('with SETTLEMENT_API_KEY, preparing without it is 401 (decision S1)', async () => {
    const open = await service.call('POST', '/settlement/prepare', { body: { seriesId: '1' } })
    for (const answer of [open, await prepare('1', 'wrong')]) {
      expect(answer).toMatchObject({ status: 401, body: failure('settlement_unauthorized') })
    }
    expect((await prepare('1', SETTLEMENT_KEY)).status).toBe(404)
  })

  it('the faucet and the resolution signer are 503 when they are not configured (protocol faucet-2, settle-1, decisions S1, S6)', async () => {
    const faucet = await service.call('POST', '/faucet', { body: { wallet: service.wallet().address } })
    expect(faucet).toMatchObject({ status: 503, body: failure('faucet_not_configured') })
    const terms = { strikeBps: 4_200, optionType: 'put' as const }
    const { markets } = (await service.call<{ markets: Market[] }>('GET', '/v1/markets')).body
    const { conditionId, yesClobTokenId } = markets.find(({ name }) => name.startsWith('Will the Harbour')) as Market
    const series = await owner.chain.registerExpired({ ...terms, conditionId, yesTokenId: yesClobTokenId })
    const prepared = await prepare(seriesIdOf(series), SETTLEMENT_KEY)
    expect(prepared).toMatchObject({ status: 503, body: failure('signer_not_configured') })
  })

  it('the series index refreshes by itself, and shows what was registered (protocol series-1)', async () => {
    const { seriesId } = await owner.option({ strikeBps: 3_100 })
    const listed = async () => {
      const { body } = await service.call<{ series: { seriesId: string }[] }>('GET', '/v1/series?settled=false')
      return body.series.some((series) => series.seriesId === seriesId)
    }
    expect(await eventually(listed, (found) => found)).toBe(true)
  })

  it('a chain that is down is 503 chain_unavailable for quotes and commits, never simulated (fault E1)', async () => {
    const [one, two] = [await maker(), await maker()]
    const { requestId } = await service.open()
    await one.quoted(requestId)
    proxy.cut()
    const quote = await two.quote(requestId)
    expect(quote).toMatchObject({ status: 503, body: { ...failure('chain_unavailable'), retryable: true } })
    const commit = await service.commit(requestId, { wallet: service.wallet().address })
    expect(commit).toMatchObject({ status: 503, body: failure('chain_unavailable') })
    const poll = await service.call('GET', `/quote-requests/${requestId}/quotes`)
    expect(poll).toMatchObject({ status: 200, body: { status: 'open', confirming: false, quoteCount: 1 } })
    proxy.pass()
  })

  it('and trades on when it is back', async () => {
    await eventually(
      async () => service.call('GET', '/v1/markets'),
      ({ status }) => status === 200,
    )
    const made = await maker()
    const { requestId } = await service.open()
    await eventually(
      () => made.quote(requestId),
      ({ status }) => status === 200,
    )
    const { committed } = await trade({ ...service, maker })
    expect(committed.body).toMatchObject({ success: true, mode: 'onchain' })
  })

  it('settled becomes true and resolutionBps is set, with the next refresh of the index (protocol series-1)', async () => {
    const terms = { strikeBps: 2_900, optionType: 'put' as const }
    const { markets } = (await owner.call<{ markets: Market[] }>('GET', '/v1/markets')).body
    const { conditionId, yesClobTokenId } = markets.find(({ name }) => name.startsWith('Will the Central')) as Market
    const series = await owner.chain.registerExpired({ ...terms, conditionId, yesTokenId: yesClobTokenId })
    const seriesId = seriesIdOf(series)
    const { body } = await owner.call<Attestation>('POST', '/settlement/prepare', { body: { seriesId } })
    await owner.chain.settle(body)
    const read = async () => (await service.call<{ series: object }>('GET', `/v1/series/${seriesId}`)).body.series
    const settled = await eventually(read, (found) => (found as { settled: boolean }).settled)
    expect(settled).toMatchObject({ seriesId, settled: true, resolutionBps: body.resolutionBps })
    const listed = await service.call<{ series: { seriesId: string }[] }>('GET', '/v1/series?settled=true')
    expect(listed.body.series.map((one) => one.seriesId)).toContain(seriesId)
  })
})
