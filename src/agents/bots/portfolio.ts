import type { Option } from '@rfqctl/protocol/domain/option'
import type { Order } from '@rfqctl/protocol/domain/order'
import { fairValue, greeks, type PricingInput, YEAR_MS } from '@rfqctl/protocol/domain/pricing'
import type { SeriesId } from '@rfqctl/protocol/domain/series'
import { type Usd6, usd6 } from '@rfqctl/protocol/domain/units'

/** `expiryMs` is Unix milliseconds. */
export type TradedOption = Option & { seriesId: SeriesId; yesTokenId: string; expiryMs: number }

/**
 * Result of a maker's trades in micro-dollars, negative for a loss: premiums received less paid, the model value of
 * options held and owed, the result of hedging, and their total.
 */
export type Statement = { trades: number; premium: Usd6; options: Usd6; hedge: Usd6; total: Usd6 }

/** YES tokens bought to hedge (negative: sold), and their price. */
export type HedgeTrade = { yesTokenId: string; tokens: bigint; price: Usd6 }

/** The YES price of a token at a time (Unix milliseconds), in dollars. */
export type Spot = (yesTokenId: string, atMs: number) => Promise<number>

/** A maker's holdings by the orders it signed, as if every taker filled. */
export type Portfolio = ReturnType<typeof createPortfolio>

type Holding = { option: TradedOption; contracts: bigint }
type Hedge = { tokens: bigint; paid: bigint }

/** `value` is micro-dollars per option; `delta` is how it moves with the YES price. */
type Valued = Holding & { value: bigint; delta: number }

/**
 * Keeps every market delta-neutral with YES tokens, traded at the spot without cost, so that what remains is the spread
 * that the maker earned and the error of its model. A token sold short represents a NO token bought.
 */
export function createPortfolio({ spot, volatility }: { spot: Spot; volatility: number }) {
  const holdings = new Map<SeriesId, Holding>()
  const hedges = new Map<string, Hedge>()
  let trades = 0
  let premium = 0n

  const contractsOf = (seriesId: SeriesId): bigint => holdings.get(seriesId)?.contracts ?? 0n

  /** An expired option keeps its value at expiry and needs no hedge. */
  async function valuedAt(holding: Holding, now: number): Promise<Valued> {
    const { option } = holding
    const at = Math.min(now, option.expiryMs)
    const input: PricingInput = {
      spot: await spot(option.yesTokenId, at),
      volatility,
      years: (option.expiryMs - at) / YEAR_MS,
    }
    return {
      ...holding,
      value: toMicro(fairValue(option, input)),
      delta: at < option.expiryMs ? greeks(option, input).delta : 0,
    }
  }

  /** Makes options and tokens together insensitive to the price; null if they already are. */
  function hedge(yesTokenId: string, price: Usd6, valued: readonly Valued[]): HedgeTrade | null {
    const exposure = valued
      .filter(({ option }) => option.yesTokenId === yesTokenId)
      .reduce((sum, { contracts, delta }) => sum + Number(contracts) * delta, 0)
    const { tokens, paid } = hedges.get(yesTokenId) ?? { tokens: 0n, paid: 0n }
    const bought = BigInt(Math.round(-exposure)) - tokens
    if (bought === 0n) return null
    hedges.set(yesTokenId, { tokens: tokens + bought, paid: paid + bought * price })
    return { yesTokenId, tokens: bought, price }
  }

  return {
    /** Whole options held; negative when owed. */
    position: (seriesId: SeriesId): number => Number(contractsOf(seriesId)),
    add: (order: Pick<Order, 'makerSelling' | 'optionAmount' | 'premiumAmount'>, option: TradedOption): number => {
      const { makerSelling, optionAmount, premiumAmount } = order
      const sign = makerSelling ? -1n : 1n
      const contracts = contractsOf(option.seriesId) + sign * optionAmount
      holdings.set(option.seriesId, { option, contracts })
      premium -= sign * premiumAmount
      trades += 1
      return Number(contracts)
    },
    /** Hedges every market at the price of `now` (Unix milliseconds). Without a price it rejects and hedges nothing. */
    mark: async (now: number): Promise<{ hedges: HedgeTrade[]; statement: Statement }> => {
      const markets = [...new Set([...holdings.values()].map(({ option }) => option.yesTokenId))]
      const [valued, prices] = await Promise.all([
        Promise.all([...holdings.values()].map((holding) => valuedAt(holding, now))),
        Promise.all(markets.map(async (market) => [market, usd6(toMicro(await spot(market, now)))] as const)),
      ])
      const traded = prices.flatMap(([market, price]) => hedge(market, price, valued) ?? [])
      const options = valued.reduce((sum, { contracts, value }) => sum + contracts * value, 0n)
      const hedged = prices.reduce((sum, [market, price]) => sum + gainOf(hedges.get(market), price), 0n)
      const total = usd6(premium + options + hedged)
      return {
        hedges: traded,
        statement: { trades, premium: usd6(premium), options: usd6(options), hedge: usd6(hedged), total },
      }
    },
  }
}

const gainOf = (hedge: Hedge | undefined, price: Usd6): bigint =>
  hedge === undefined ? 0n : hedge.tokens * price - hedge.paid

/** Rounds the model's dollars to the nearest micro-dollar; nothing is rounded after this. */
const toMicro = (dollars: number): bigint => BigInt(Math.round(dollars * 1_000_000))
