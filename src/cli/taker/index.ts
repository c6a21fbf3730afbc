import { type Command, Option } from 'commander'
import {
  type Attach,
  accountOptions,
  chainOptions,
  relayOptions,
  sameAccountOptions,
  sendOptions,
} from '../declare/command.ts'
import {
  parseCount,
  parseDate,
  parseDuration,
  parseLeg,
  parseMix,
  parsePrice,
  parseRate,
  parseSeed,
  parseUsd,
} from '../declare/parse.ts'
import { SERIES } from '../series/index.ts'

const REQUEST =
  'a row of the last "taker requests" such as @1, or a requestId, which may be shortened (default: your newest request)'

export function addTakerCommands(program: Command, attach: Attach): void {
  const taker = program.command('taker').description('Trade: ask for quotes, commit, fill')
  const account = (command: Command) => relayOptions(accountOptions(command, 'taker-1'))
  const sameAccount = (command: Command) => relayOptions(sameAccountOptions(command))

  const request = audience(account(taker.command('request').description('Ask makers for quotes')))
    .argument('<series>', SERIES)
    .addOption(budgetOption())
    .addOption(sizeOption())
    .addOption(bothOption())
    .option('--firm-only', 'take only quotes whose makers have signed already; shows makers your wallet')
    .option(
      '--standing-limit <price>',
      'have the relay commit by itself at this price or better, and wait; without --blind, shows makers your wallet',
      parsePrice,
    )
    .addOption(
      new Option('--side <side>', 'your side of a standing limit on both, which makers do not see').choices([
        'buy',
        'sell',
      ]),
    )
    .option('--standing-min <count>', 'fewest options that the relay commits to by itself (default: any)', parseCount)
    .option('--quotes <count>', 'show the best quote too, once so many makers have one', parseCount)
    .option('--wait <duration>', 'show the best quote too, after this time at the latest, up to 30s', parseDuration)
  attach(request, () => import('./request.ts'), 'request', [
    'rfqctl taker request @1 --budget 100',
    'rfqctl taker request @1 --size 50',
    'rfqctl taker request @1 --both 50',
    'rfqctl taker request @1 --budget 100 --firm-only',
    'rfqctl taker request @1 --budget 100 --quotes 2 --wait 1s',
    'rfqctl taker request @1 --budget 100 --makers maker-1,maker-2 --blind',
    'rfqctl taker request @1 --budget 100 --standing-limit 0.4',
    'rfqctl taker request @1 --both 50 --standing-limit 0.01 --side sell',
  ])

  const watch = relayOptions(taker.command('watch').description('Show the best quote whenever it changes'))
    .argument('[request]', REQUEST)
    .option('--for <duration>', 'stop after this time (default: when the request closes)', parseDuration)
  attach(watch, () => import('./request.ts'), 'watch', ['rfqctl taker watch --for 2s'])

  const quotes = relayOptions(taker.command('quotes').description('Show the best quote once'))
  attach(quotes.argument('[request]', REQUEST), () => import('./request.ts'), 'showQuotes', ['rfqctl taker quotes'])

  const commit = protections(chainOptions(sameAccount(taker.command('commit').description('Commit to the best quote'))))
    .argument('[request]', REQUEST)
    .addOption(new Option('--side <side>', 'your side of a request for both').choices(['buy', 'sell']))
    .option('--expect <quoteId>', 'commit only if this quote is still the best one')
    .option('--firm-only', 'commit only to a quote whose maker has signed already')
    .option('--fill', 'fill the signed order on chain at once')
  payments(commit)
  attach(commit, () => import('./commit.ts'), 'commit', [
    'rfqctl taker commit',
    'rfqctl taker commit --limit 0.4 --fill',
    'rfqctl taker commit --side sell',
  ])

  const fill = payments(
    chainOptions(sameAccount(taker.command('fill').description('Approve and fill a signed order on chain'))),
  )
  attach(fill.argument('[request]', REQUEST), () => import('./fill.ts'), 'fill', [
    'rfqctl taker fill',
    'rfqctl taker fill --permit',
  ])

  const requests = relayOptions(
    taker.command('requests').description('List the requests made in this folder, and what became of them'),
  ).option('--all', 'all of them (default: the newest 20)')
  attach(requests, () => import('./requests.ts'), 'listRequests', ['rfqctl taker requests'])

  const cancel = relayOptions(taker.command('cancel').description('Cancel a request'))
  attach(cancel.argument('[request]', REQUEST), () => import('./request.ts'), 'cancel', ['rfqctl taker cancel'])

  const buy = allInOne(
    taker.command('buy').description('Buy options: request, wait, commit, and fill with --fill'),
    account,
  ).requiredOption('--budget <usd>', 'dollars to spend at most', parseUsd)
  attach(buy, () => import('./trade.ts'), 'buy', ['rfqctl taker buy @1 --budget 100 --fill'])

  const sell = allInOne(
    taker.command('sell').description('Write options: request, wait, commit, and fill with --fill'),
    account,
  ).requiredOption('--size <count>', 'whole options to write', parseCount)
  attach(sell, () => import('./trade.ts'), 'sell', ['rfqctl taker sell @1 --size 50 --fill'])

  addPackageCommands(taker, attach, account)

  attach(
    closeOptions(taker, 'taker-1').description(
      'End options held against options written; of a named series, sell what is only held, and buy back what is only written',
    ),
    () => import('./unwind.ts'),
    'closeOrTrade',
    ['rfqctl taker close', 'rfqctl taker close @1 --amount 10'],
  )

  const positions = chainOptions(
    account(taker.command('positions').description('Show what a wallet holds and has written, with profit or loss')),
  ).argument('[wallet]', 'an address; its key is not needed (default: that of --account)')
  const history = chainOptions(
    account(taker.command('history').description('Show the trades of a wallet with realised profit, from the chain')),
  )
    .argument('[wallet]', 'an address; its key is not needed (default: that of --account)')
    .option('--since <date>', 'only trades with an event from this day on, in UTC (default: all)', parseDate)
    .option('--csv', 'a table for spreadsheets, with all fields')
  attach(history, () => import('./history.ts'), 'run', [
    'rfqctl taker history',
    'rfqctl taker history --account maker-1 --json',
    'rfqctl taker history --since 2026-01-01 --csv',
  ])
  addSimulateCommand(taker, attach)
  attach(positions, () => import('./positions.ts'), 'run', [
    'rfqctl taker positions',
    'rfqctl taker positions --account maker-1',
  ])
}

function addSimulateCommand(taker: Command, attach: Attach): void {
  const simulate = chainOptions(
    relayOptions(taker.command('simulate').description('Run the takers of the sandbox, with totals at the end')),
  )
    .option('--rate <number>', 'requests per second, all takers together', parseRate, 1)
    .option(
      '--mix <shares>',
      'shares of what they do, such as buy=60,sell=25,cancel=15 (default: mostly buy)',
      parseMix,
    )
    .option('--seed <number>', 'equal seeds make the takers behave the same', parseSeed, 1)
    .option('--count <count>', 'stop after this many requests (default: at Ctrl-C)', parseCount)
    .option('--for <duration>', 'stop after this time (default: at Ctrl-C)', parseDuration)
    .option('--no-fill', 'only commit; nothing moves on the chain')
  attach(simulate, () => import('./simulate.ts'), 'simulate', [
    'rfqctl taker simulate --rate 2 --count 4',
    'rfqctl taker simulate --rate 5 --mix buy=60,sell=25,cancel=15 --seed 7 --for 3s --no-fill',
  ])
}

function addPackageCommands(taker: Command, attach: Attach, account: (command: Command) => Command): void {
  const structure = (name: string, description: string) =>
    wholeTrade(taker.command(name).description(description), account).addOption(budgetOption()).addOption(sizeOption())

  const spread = structure('spread', 'Buy one call or put and sell another in one trade, locking what can be lost')
    .argument('<bought>', SERIES)
    .argument('<sold>', 'the other one, of the same type, market and expiry')
  attach(spread, () => import('./structures.ts'), 'spread', ['rfqctl taker spread @1 @3 --budget 100 --fill'])

  const strangle = structure('strangle', 'Buy a put and a call in one trade, or write both with --size')
    .argument('<put>', SERIES)
    .argument('<call>', 'the call, of the same market and expiry')
  attach(strangle, () => import('./structures.ts'), 'strangle', ['rfqctl taker strangle @2 @3 --budget 100 --fill'])

  const anyPackage = structure('package', 'Trade two to four options of one market and expiry as one').requiredOption(
    '--leg <leg>',
    'how often, and which series: +1@1, -2@norvik-c45; once for each leg',
    parseLeg,
  )
  attach(anyPackage, () => import('./structures.ts'), 'anyPackage', [
    'rfqctl taker package --leg +1@1 --leg -2@3 --budget 100 --fill',
  ])
}

const budgetOption = (): Option =>
  new Option('--budget <usd>', 'buy: dollars to spend at most').argParser(parseUsd).conflicts('size')

const sizeOption = (): Option => new Option('--size <count>', 'sell: whole options to write').argParser(parseCount)

const bothOption = (): Option =>
  new Option('--both <count>', 'buy or sell: whole options, to be priced on both sides; the commit says which')
    .argParser(parseCount)
    .conflicts(['budget', 'size'])

const allInOne = (command: Command, account: (command: Command) => Command): Command =>
  wholeTrade(command, account).argument('<series>', SERIES)

const wholeTrade = (command: Command, account: (command: Command) => Command): Command =>
  payments(
    audience(protections(chainOptions(account(command))))
      .addOption(
        new Option('--wait <duration>', 'time for makers to improve on the first quote')
          .argParser(parseDuration)
          .default(2_000, '2s'),
      )
      .option('--fill', 'fill the signed order on chain at once'),
  )

/** Paying in one transaction instead of two depends on the stablecoin. */
const payments = (command: Command): Command =>
  command
    .addOption(
      new Option('--permit', 'approve with a signature inside the fill, if the stablecoin supports permits').conflicts(
        'pay',
      ),
    )
    .addOption(
      new Option('--pay <method>', 'how the fill is paid; authorization is EIP-3009 (default: approve)').choices([
        'approve',
        'permit',
        'authorization',
        'permit2',
      ]),
    )
    .option(
      '--relayer <url>',
      'have a relayer fill it, without gas (default: RFQCTL_RELAYER_URL, or the wallet itself)',
    )
    .option('--max-fee <usd>', 'most to pay a relayer (default: $1)', parseUsd)
    .option(
      '--partner-fee <address:bps>',
      'share of the premium to pay a partner, in basis points up to 500 (default: none)',
    )

/** Makers that are asked, and the facts that they get. */
const audience = (command: Command): Command =>
  command
    .option('--makers <names>', 'ask these makers alone, such as ada,bob (default: all)')
    .option('--except-makers <names>', 'do not ask these makers (default: RFQCTL_EXCEPT_MAKERS, or ask all)')
    .option('--blind', 'show your wallet only to the maker that is asked to sign')

/** Limits of a commit (decision C1); by default, the price shown and half of the size it buys. */
const protections = (command: Command): Command =>
  command
    .option('--limit <price>', 'worst price per option to accept (default: the best one shown)', parsePrice)
    .option('--min <count>', 'fewest options to accept (default: half of what is shown)', parseCount)

/** Shared by makers and takers, who leave a position alike. */
export const closeOptions = (noun: Command, standard: string): Command =>
  sendOptions(
    noun.command('close').description('End options that you hold against options that you have written'),
    standard,
  )
    .argument('[series]', `${SERIES} (default: all with both)`)
    .option('--amount <count>', 'how many of each (default: as many as there are of both)', parseCount)
    .option('--to <address>', 'who gets the collateral back (default: the wallet itself)')
