import type { SeriesId } from '../domain/series.ts'
import type { Address, Hex, Usd6 } from '../domain/units.ts'
import {
  decodeMarkets,
  decodeSeries,
  decodeSeriesList,
  type ListedSeries,
  type MarketSummary,
  type SeriesFilter,
} from '../wire/discovery.ts'
import { decodeDripped, encodeDrip } from '../wire/faucet.ts'
import { decodePositions, type ValuedPosition } from '../wire/positions.ts'
import { decodePrepared, encodePrepare, type PreparedSettlement } from '../wire/settlement.ts'
import { decodeHome, decodeNow } from '../wire/status.ts'
import type { CallOptions, Http } from './http.ts'

/** What anybody may ask a relay. Every call rejects with `RelayError`, `RelayUnreachableError`, or the signal's reason. */
export type PublicActions = {
  /** What the relay is, and the chain it settles on. */
  getRelayInfo: (options?: CallOptions) => Promise<{ mode: 'onchain' | 'simulated'; chainId: number }>
  /** The relay's clock, Unix milliseconds. */
  getTime: (options?: CallOptions) => Promise<number>
  listMarkets: (options?: CallOptions) => Promise<MarketSummary[]>
  listSeries: (filter?: SeriesFilter & CallOptions) => Promise<ListedSeries[]>
  /** One series. Refused with `series_not_found`. */
  getSeries: (input: { seriesId: SeriesId } & CallOptions) => Promise<ListedSeries>
  /** What a wallet has in all series, valued at the price of now; its key is not needed. */
  listValuedPositions: (input: { wallet: Address } & CallOptions) => Promise<ValuedPosition[]>
  /** Asks the test faucet for stablecoin. Refused with `faucet_cooldown`, `faucet_exhausted` or `faucet_not_configured`. */
  requestFaucetFunds: (
    input: { wallet: Address } & CallOptions,
  ) => Promise<{ amount: Usd6; txHash: Hex; message: string }>
  /**
   * Asks for the signed resolution of an expired series. Refused with `series_not_expired`, `manual_review` and others
   * (decision S1). `settlementKey` where the relay demands one.
   */
  prepareSettlement: (
    input: { seriesId: SeriesId; settlementKey?: string | undefined } & CallOptions,
  ) => Promise<PreparedSettlement>
}

/** Discovery, faucet and settlement over a relay's REST side. */
export function createPublicActions(http: Http): PublicActions {
  return {
    getRelayInfo: (options) => http.call('GET', '/', { ...options, decode: decodeHome }),
    getTime: (options) => http.call('GET', '/time', { ...options, decode: decodeNow }),
    listMarkets: (options) => http.call('GET', '/v1/markets', { ...options, decode: decodeMarkets }),
    listSeries: ({ signal, ...filter } = {}) =>
      http.call('GET', `/v1/series${queryOf(filter)}`, { signal, decode: decodeSeriesList }),
    getSeries: ({ seriesId, signal }) =>
      http.call('GET', `/v1/series/${encodeURIComponent(seriesId)}`, { signal, decode: decodeSeries }),
    listValuedPositions: ({ wallet, signal }) =>
      http.call('GET', `/v1/positions?wallet=${encodeURIComponent(wallet)}`, { signal, decode: decodePositions }),
    requestFaucetFunds: ({ wallet, signal }) =>
      http.call('POST', '/faucet', { body: encodeDrip(wallet), signal, decode: decodeDripped }),
    prepareSettlement: ({ seriesId, settlementKey, signal }) =>
      http.call('POST', '/settlement/prepare', {
        body: encodePrepare(seriesId),
        headers: settlementKey === undefined ? {} : { authorization: `Bearer ${settlementKey}` },
        signal,
        decode: decodePrepared,
      }),
  }
}

function queryOf({ conditionId, optionType, settled }: SeriesFilter): string {
  const query = new URLSearchParams({
    ...(conditionId === undefined ? {} : { conditionId }),
    ...(optionType === undefined ? {} : { optionType }),
    ...(settled === undefined ? {} : { settled: String(settled) }),
  }).toString()
  return query === '' ? '' : `?${query}`
}
