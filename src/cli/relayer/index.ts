import { type Command, Option } from 'commander'
import { type Attach, chainOptions, keyOptions, withExamples } from '../declare/command.ts'
import { parseCoin, parseCount, parseFee, parseGwei, parsePort, parseUsd } from '../declare/parse.ts'

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
    .addOption(new Option('--fee <usd>', 'what a fill costs its taker').argParser(parseFee).makeOptionMandatory())
    .requiredOption('--fee-recipient <address>', 'who is paid the fee')
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .addOption(new Option('--port <port>', 'port to listen on, 0 picks a free one').argParser(parsePort).default(8_788))
  attach(withExamples(limitOptions(run), EXAMPLE), async () => (await import('./run.ts')).run)
}

const limitOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--max-gas-price <gwei>', 'most it pays for a unit of gas')
        .argParser(parseGwei)
        .default(500_000_000_000n, '500'),
    )
    .addOption(new Option('--max-gas <count>', 'gas that one fill may take').argParser(parseCount).default(1_000_000))
    .addOption(
      new Option('--max-coin-per-day <coins>', 'most of the coin that gas may cost within 24 hours')
        .argParser(parseCoin)
        .default(5n * 10n ** 18n, '5'),
    )
    .addOption(new Option('--fills-per-hour <count>', 'fills within an hour').argParser(parseCount).default(300))
    .addOption(
      new Option('--client-fills-per-hour <count>', 'those of one client address').argParser(parseCount).default(20),
    )
    .addOption(
      new Option('--coin-price <usd>', 'what a coin is worth, to refuse fills whose gas costs more').argParser(
        parseUsd,
      ),
    )
