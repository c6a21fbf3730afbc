import { RfqError } from '../../../../src/protocol/domain/errors.ts'
import type { ResolutionBps } from '../../../../src/protocol/domain/units.ts'
import { SIGNER, TAKER } from '../../../support/test-relay.ts'
import { type Answer, startServer, type TestServer } from '../support.ts'
import { calling, type Producers } from './produce.ts'

const OPERATOR_TOKEN = 'token-of-the-operator'

type Options = Parameters<typeof startServer>[0]

/** Asks for the settlement of an expired series, after something was done about it. */
const preparing =
  (options: Options, change: (fixture: TestServer, seriesId: string) => void | Promise<void> = () => {}) =>
  async (): Promise<Answer> => {
    const fixture = await startServer(options)
    const { seriesId } = fixture.register()
    fixture.chain.aheadS = 3_600
    await change(fixture, seriesId)
    return fixture.call('POST', '/settlement/prepare', { body: { seriesId } })
  }

/** A signer that answers so. */
const signerThat = (code: 'signer_unavailable' | 'signer_refused') => {
  const refuse = () => Promise.reject(new RfqError(code))
  return { address: SIGNER, sign: refuse, probe: refuse }
}

const hasOutcome = ({ sources }: TestServer) => {
  sources.outcome = { yesPrice: 1, closedAt: null }
}

/** A call to a faucet that answers so. */
const dripping = (send: () => Promise<`0x${string}`>, times: number) => async (): Promise<Answer> => {
  const { call } = await startServer({ fixture: { ports: { faucet: { send, balance: async () => null } } } })
  const drip = () => call('POST', '/faucet', { body: { wallet: TAKER } })
  for (let n = 1; n < times; n += 1) await drip()
  return drip()
}

export const SETTLEMENT: Producers<
  | 'series_not_found'
  | 'series_not_expired'
  | 'series_already_settled'
  | 'already_resolved'
  | 'manual_review'
  | 'price_source_unavailable'
  | 'resolution_pending'
  | 'signer_not_configured'
  | 'signer_not_in_office'
  | 'price_vetoed'
  | 'signer_unavailable'
  | 'signer_refused'
  | 'settlement_unauthorized'
  | 'faucet_cooldown'
  | 'faucet_exhausted'
  | 'faucet_not_configured'
  | 'faucet_unavailable'
> = {
  series_not_found: calling('GET', '/v1/series/7'),
  series_not_expired: preparing({}, ({ chain }) => {
    chain.aheadS = 0
  }),
  series_already_settled: preparing({}, ({ chain }) => {
    const resolutionBps = 59 as ResolutionBps
    for (const [seriesId, series] of chain.registered) chain.registered.set(seriesId, { ...series, resolutionBps })
  }),
  already_resolved: async () => {
    const { call, chain, register } = await startServer({ server: { operatorToken: OPERATOR_TOKEN } })
    const { seriesId } = register()
    chain.aheadS = 3_600
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
    const decide = (resolutionBps: number) =>
      call('POST', `/ops/v1/reviews/${seriesId}`, { headers, body: { resolutionBps, by: 'Ada', reason: 'she knows' } })
    await decide(59)
    return decide(60)
  },
  manual_review: preparing({}),
  price_source_unavailable: preparing({
    fixture: { ports: { prices: { history: () => Promise.reject(new RfqError('price_source_unavailable')) } } },
  }),
  resolution_pending: preparing({ relay: { settleLagMs: 120_000 } }),
  signer_not_configured: preparing({ fixture: { ports: { resolutionSigner: null } } }, ({ sources }) => {
    sources.outcome = { yesPrice: 1, closedAt: null }
  }),
  signer_not_in_office: preparing({}, ({ chain, sources }) => {
    sources.outcome = { yesPrice: 1, closedAt: null }
    chain.signer = TAKER
  }),
  signer_unavailable: preparing(
    { fixture: { ports: { resolutionSigner: signerThat('signer_unavailable') } } },
    hasOutcome,
  ),
  signer_refused: preparing({ fixture: { ports: { resolutionSigner: signerThat('signer_refused') } } }, hasOutcome),
  price_vetoed: preparing({}, (fixture) => {
    const series = fixture.register()
    fixture.chain.registered.set(series.seriesId, { ...series, vetoed: true })
  }),
  settlement_unauthorized: preparing({ server: { settlementApiKey: 'the-key' } }),
  faucet_cooldown: dripping(async () => `0x${'11'.repeat(32)}`, 2),
  faucet_exhausted: async () => {
    const faucet = { balance: async () => null, send: async () => `0x${'11'.repeat(32)}` as const }
    const { call } = await startServer({ relay: { faucetMaxPerHour: 1 }, fixture: { ports: { faucet } } })
    await call('POST', '/faucet', { body: { wallet: TAKER } })
    return call('POST', '/faucet', { body: { wallet: `0x${'7'.repeat(40)}` } })
  },
  faucet_not_configured: calling('POST', '/faucet', { body: { wallet: TAKER } }),
  faucet_unavailable: dripping(() => Promise.reject(new RfqError('faucet_unavailable')), 1),
}
