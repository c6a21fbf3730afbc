import type { Command } from 'commander'
import { type Attach, chainOptions, coinOption, gasPriceOption, keyOptions } from '../declare/command.ts'
import { parseCount, parseFee, parsePort, parseUsd } from '../declare/parse.ts'

const EXAMPLE =
  'rfqctl relayer run --account taker-2 --fee 0.05 --fee-recipient 0x0101010101010101010101010101010101010101'

export function addRelayerCommands(program: Command, attach: Attach): void {
  const relayer = program.command('relayer').description('Fill orders for takers who have no coin for gas')
  const run = chainOptions(
    keyOptions(
      relayer
        .command('run')
        .description('Submit the fills that takers signed, for a fee, with a wallet of its own')
        .option('--account <name>', 'wallet by its name in "rfqctl wallet list"; nothing else may use it meanwhile'),
    ),
  )
    .requiredOption('--fee <usd>', 'what a fill costs its taker', parseFee)
    .requiredOption('--fee-recipient <address>', 'who is paid the fee')
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on, 0 picks a free one', parsePort, 8_788)
  attach(limitOptions(run), () => import('./run.ts'), 'run', [EXAMPLE])
}

const limitOptions = (command: Command): Command =>
  command
    .addOption(gasPriceOption('most it pays for a unit of gas'))
    .option('--max-gas <count>', 'gas that one fill may take', parseCount, 1_000_000)
    .addOption(coinOption('most of the coin that gas may cost within 24 hours'))
    .option('--fills-per-hour <count>', 'fills within an hour', parseCount, 300)
    .option('--client-fills-per-hour <count>', 'those of one client address', parseCount, 20)
    .option('--coin-price <usd>', 'what a coin is worth, to refuse fills whose gas costs more', parseUsd)
