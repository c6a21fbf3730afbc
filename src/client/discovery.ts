import type { PreparedSettlement } from '@rfqctl/protocol/domain/attestation'
import type { ValuedPosition } from '@rfqctl/protocol/domain/position'
import type { PublicTrade } from '@rfqctl/protocol/domain/public-trade'
import type { WindowPrices } from '@rfqctl/protocol/domain/review'
import type { ListedSeries, MarketSummary, SeriesFilter, SeriesId } from '@rfqctl/protocol/domain/series'
import type { MarketSurface } from '@rfqctl/protocol/domain/surface'
import type { PricePoint } from '@rfqctl/protocol/domain/twap'
import type { Address, Hex, Usd6 } from '@rfqctl/protocol/domain/units'
import { decodeMarkets, decodeSeries, decodeSeriesList } from '@rfqctl/protocol/wire/discovery'
import { decodeEnvironment, type RelayEnvironment } from '@rfqctl/protocol/wire/environment'
import { decodeDripped, encodeDrip } from '@rfqctl/protocol/wire/faucet'
import { decodePositions } from '@rfqctl/protocol/wire/positions'
import { decodePriceHistory } from '@rfqctl/protocol/wire/price-history'
import { decodePrepared, encodePrepare } from '@rfqctl/protocol/wire/settlement'
import { decodeHome, decodeNow } from '@rfqctl/protocol/wire/status'
import { decodeSurface } from '@rfqctl/protocol/wire/surface'
import { decodeTrades } from '@rfqctl/protocol/wire/trades'
import { decodeWindowPrices } from '@rfqctl/protocol/wire/window-prices'
import type { CallOptions, Http } from './http.ts'

/**
 * Calls of a relay that need no key. Besides the errors named, every call rejects with `RelayError`, with `RelayUnreachableError`, or
 * with the reason of its signal.
 */
export type PublicActions = {
  /**
   * Reads the relay's settlement mode.
   * @param options - May carry a signal.
   * @returns Whether trades are settled on a chain, and the id of that chain.
   * @throws RelayUnreachableError when no relay answers.
   * @example
   * const { mode, chainId } = await taker.getRelayInfo()
   * if (mode === 'simulated') console.log('nothing to fill on a chain')
   */
  getRelayInfo: (options?: CallOptions) => Promise<{ mode: 'onchain' | 'simulated'; chainId: number }>
  /**
   * Reads the chain and contracts that settle the relay's trades, and its other services. A program that pays should have the addresses
   * of the contracts from a source of its own, not from the relay that it trades with; a page has them from the origin that served it,
   * which it trusts for its code already.
   * @param options - May carry a signal.
   * @returns The chain with its contracts and its time (Unix seconds; null while it cannot be read), the faucet (micro-dollars
   * and milliseconds; null where there is none), a relayer that the operator recommends, and whether the chain is a sandbox.
   * @throws RelayError `too_many_requests`; `not_found` from a relay that is older than this call.
   * @example
   * const { chainId, settlementAddress, sandbox } = await taker.getEnvironment()
   * console.log(sandbox ? 'test money' : `chain ${chainId}, filled at ${settlementAddress}`)
   */
  getEnvironment: (options?: CallOptions) => Promise<RelayEnvironment>
  /**
   * Reads the relay's clock, by which requests and quotes expire.
   * @param options - May carry a signal.
   * @returns Unix milliseconds.
   * @throws RelayUnreachableError when no relay answers.
   * @example const offMs = (await taker.getTime()) - Date.now()
   */
  getTime: (options?: CallOptions) => Promise<number>
  /**
   * Lists the markets in which options can be traded.
   * @param options - May carry a signal.
   * @returns Each market with its strikes, expiries and YES price.
   * @throws RelayError when the relay refuses.
   * @example
   * const markets = await taker.listMarkets()
   * for (const { name, yesPrice } of markets) console.log(name, yesPrice)
   */
  listMarkets: (options?: CallOptions) => Promise<MarketSummary[]>
  /**
   * Lists the option series that are registered on the chain.
   * @param filter - Series to list; all single calls and puts when absent, packages as well with `packages: true`.
   * @returns The series, settled ones included unless the filter leaves them out.
   * @throws RelayError when the relay refuses.
   * @example const calls = await taker.listSeries({ optionType: 'call', settled: false })
   */
  listSeries: (filter?: SeriesFilter & CallOptions) => Promise<ListedSeries[]>
  /**
   * Reads one series.
   * @param input.seriesId - Its id.
   * @returns The series.
   * @throws RelayError `series_not_found`.
   * @example const { expiry, resolutionBps } = await taker.getSeries({ seriesId })
   */
  getSeries: (input: { seriesId: SeriesId } & CallOptions) => Promise<ListedSeries>
  /**
   * Reads the prices that settle a series, or will: the half-hour before its expiry.
   * @param input.seriesId - The series.
   * @returns The window and its prices up to now, a thousand at most, in dollars, their average, and the resolution of the series; no
   * prices before the window begins.
   * @throws RelayError `series_not_found`, `chain_unavailable`, `store_unavailable`, `too_many_requests`.
   * @example
   * const { points, twap, resolutionBps } = await taker.getWindowPrices({ seriesId })
   * console.log(points.length, twap, resolutionBps === null ? 'not resolved' : resolutionBps / 100)
   */
  getWindowPrices: (input: { seriesId: SeriesId } & CallOptions) => Promise<WindowPrices>
  /**
   * Lists signed trades, newest first, without wallets and makers; the relay shows them a while after they were made.
   * @param filter.conditionId - Trades of this market alone.
   * @param filter.seriesId - Trades of this series alone.
   * @param filter.cursor - The `nextCursor` of the page before; absent: the newest trades.
   * @returns A page: the trades of the filter among a hundred of all, perhaps none, and the cursor of the next, older page; null on the
   * last.
   * @throws RelayError `store_unavailable`, `too_many_requests`.
   * @example
   * import { formatUsd6 } from 'rfqctl/client'
   *
   * const { trades } = await taker.listTrades({ seriesId })
   * for (const { at, side, size, price } of trades) console.log(new Date(at), side, size, formatUsd6(price))
   */
  listTrades: (
    filter?: { conditionId?: Hex; seriesId?: SeriesId; cursor?: string } & CallOptions,
  ) => Promise<{ trades: PublicTrade[]; nextCursor: string | null }>
  /**
   * Lists the YES prices of a market in the last day.
   * @param input.yesTokenId - The YES token of a market that has series.
   * @returns At most a thousand prices in dollars, ascending by time (Unix seconds of chain time); none where no source knows any.
   * @throws RelayError `not_found` of a token without series; `chain_unavailable`, `store_unavailable`, `too_many_requests`.
   * @example
   * const { yesTokenId } = await taker.getSeries({ seriesId })
   * for (const { t, p } of await taker.listPrices({ yesTokenId })) console.log(new Date(t * 1_000), p)
   */
  listPrices: (input: { yesTokenId: string } & CallOptions) => Promise<PricePoint[]>
  /**
   * Reads what the open series of a market are worth, by the volatilities that makers' levels and filled trades show. No one is bound by
   * these figures.
   * @param input.conditionId - The market.
   * @returns Each open series with its mark and its intrinsic value (micro-dollars per option; null where they are not known), the
   * volatility at its strike, what was observed of it, and the levels of makers.
   * @throws RelayError `chain_unavailable`, `store_unavailable`, `too_many_requests`; `not_found` from an older relay.
   * @example
   * import { formatUsd6 } from 'rfqctl/client'
   *
   * const { conditionId } = await taker.getSeries({ seriesId })
   * const { series } = await taker.getSurface({ conditionId })
   * for (const { seriesId, mark } of series) console.log(seriesId, mark === null ? 'unknown' : formatUsd6(mark))
   */
  getSurface: (input: { conditionId: Hex } & CallOptions) => Promise<MarketSurface>
  /**
   * Lists the positions of a wallet in all series, valued at the current price. The wallet's key is not needed.
   * @param input.wallet - The wallet.
   * @returns Its positions; empty ones are left out.
   * @throws RelayError `chain_unavailable`, `too_many_requests`.
   * @example
   * import { formatUsd6 } from 'rfqctl/client'
   *
   * for (const { series, long, value } of await taker.listValuedPositions({ wallet })) {
   *   console.log(series.seriesId, long, value === null ? 'unknown' : formatUsd6(value))
   * }
   */
  listValuedPositions: (input: { wallet: Address } & CallOptions) => Promise<ValuedPosition[]>
  /**
   * Asks the test faucet for stablecoin.
   * @param input.wallet - The wallet that gets it.
   * @returns The amount in micro-dollars, the hash of the transaction, and a sentence for people.
   * @throws RelayError `faucet_cooldown`, `faucet_exhausted`, `faucet_not_configured`, `faucet_unavailable`.
   * @example const { txHash } = await taker.requestFaucetFunds({ wallet })
   */
  requestFaucetFunds: (
    input: { wallet: Address } & CallOptions,
  ) => Promise<{ amount: Usd6; txHash: Hex; message: string }>
  /**
   * Asks for the signed resolution of an expired series (decision S1).
   * @param input.seriesId - The series.
   * @param input.settlementKey - Key for a relay that demands one.
   * @returns The signed resolution for `settleSeries`, with the figures behind it.
   * @throws RelayError `series_not_found`, `series_not_expired`, `series_already_settled`, `manual_review`,
   * `price_source_unavailable`, `resolution_pending`, `signer_not_configured`, `signer_not_in_office`,
   * `settlement_unauthorized`.
   * @example
   * const prepared = await taker.prepareSettlement({ seriesId })
   * await taker.settleSeries({ prepared })
   */
  prepareSettlement: (
    input: { seriesId: SeriesId; settlementKey?: string | undefined } & CallOptions,
  ) => Promise<PreparedSettlement>
}

/** Discovery, faucet and settlement over a relay's REST side. */
export function createPublicActions(http: Http): PublicActions {
  return {
    getRelayInfo: (options) => http.call('GET', '/', { ...options, decode: decodeHome }),
    getEnvironment: (options) => http.call('GET', '/v1/environment', { ...options, decode: decodeEnvironment }),
    getTime: (options) => http.call('GET', '/time', { ...options, decode: decodeNow }),
    listMarkets: (options) => http.call('GET', '/v1/markets', { ...options, decode: decodeMarkets }),
    listSeries: ({ signal, ...filter } = {}) =>
      http.call('GET', `/v1/series${queryOf(filter)}`, { signal, decode: decodeSeriesList }),
    getSeries: ({ seriesId, signal }) =>
      http.call('GET', `/v1/series/${encodeURIComponent(seriesId)}`, { signal, decode: decodeSeries }),
    getWindowPrices: ({ seriesId, signal }) =>
      http.call('GET', `/v1/series/${encodeURIComponent(seriesId)}/prices`, { signal, decode: decodeWindowPrices }),
    listTrades: ({ signal, ...filter } = {}) =>
      http.call('GET', `/v1/trades${queryOf(filter)}`, { signal, decode: decodeTrades }),
    listPrices: ({ yesTokenId, signal }) =>
      http.call('GET', `/v1/prices${queryOf({ yesClobTokenId: yesTokenId })}`, { signal, decode: decodePriceHistory }),
    getSurface: ({ conditionId, signal }) =>
      http.call('GET', `/v1/surface${queryOf({ conditionId })}`, { signal, decode: decodeSurface }),
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

/** Absent fields are left out. */
function queryOf(fields: Readonly<Record<string, string | boolean | undefined>>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()
  return query === '' ? '' : `?${query}`
}
