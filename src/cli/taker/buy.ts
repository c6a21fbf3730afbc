import type { Usd6 } from '../../client/index.ts'
import type { Run } from '../cli.ts'
import { runTrade, type TradeOptions } from './trade.ts'

/** Buys options in one go. */
export const run: Run<TradeOptions & { budget: Usd6 }, [series: string]> = (cli, options, series) =>
  runTrade(cli, options, { series, trade: { side: 'buy', budget: options.budget } })
