import { contracts } from '../../client/index.ts'
import type { Run } from '../cli.ts'
import { runTrade, type TradeOptions } from './trade.ts'

/** Writes options in one go. */
export const run: Run<TradeOptions & { size: number }, [series: string]> = (cli, options, series) =>
  runTrade(cli, options, { series, trade: { side: 'sell', size: contracts(BigInt(options.size)) } })
