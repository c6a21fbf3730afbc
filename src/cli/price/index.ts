import { type Command, Option } from 'commander'
import { type Attach, chainOptions, relayOptions } from '../declare/command.ts'
import { parsePrice, parseUsd, parseVolatility } from '../declare/parse.ts'
import { SERIES } from '../series/index.ts'

export function addPriceCommand(program: Command, attach: Attach): void {
  const price = chainOptions(relayOptions(program.command('price')))
    .description('Show what the pricing model says a series is worth, or the volatility that a price implies')
    .argument('<series>', SERIES)
    .addOption(
      new Option(
        '--volatility <percent>',
        'volatility of the YES price in a year (default: that of the surface, without one 50, 100 and 200)',
      )
        .argParser(parseVolatility)
        .conflicts('price'),
    )
    .option('--price <usd>', 'price of one option in dollars: shows its implied volatility', parseUsd)
    .option('--spot <usd>', 'price of the YES token in dollars (default: the newest that the relay has)', parsePrice)
  attach(price, () => import('./price.ts'), 'price', [
    'rfqctl price @1',
    'rfqctl price @1 --volatility 80',
    'rfqctl price @1 --spot 0.5 --json',
  ])
}
