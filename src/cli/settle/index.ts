import { type Command, Option } from 'commander'
import { type Attach, accountOptions, chainOptions, relayOptions, withExamples } from '../declare/command.ts'
import { parseDuration, parseResolution } from '../declare/parse.ts'
import { SERIES } from '../series/index.ts'

const EXPIRED =
  'a row of "series list" such as @1, or a seriesId, which may be shortened (default: all that expired and are not settled)'

/** What happens after expiry. */
export function addSettleCommands(program: Command, attach: Attach): void {
  const settle = program.command('settle').description('Settle expired series')
  const prepare = relayOptions(settle.command('prepare').description('Get signed resolutions from the relay'))
  attach(
    withExamples(prepare.argument('[series]', EXPIRED), 'rfqctl settle prepare'),
    async () => (await import('./settle.ts')).prepare,
  )
  const submit = chainOptions(
    relayOptions(
      accountOptions(settle.command('submit').description('Submit signed resolutions to the chain'), 'taker-1'),
    ),
  )
  attach(
    withExamples(submit.argument('[series]', EXPIRED), 'rfqctl settle submit'),
    async () => (await import('./settle.ts')).submit,
  )

  addReviewCommands(settle, attach)
  const points = relayOptions(settle.command('points').description('Show the prices that settle a series (operators)'))
  attach(
    withExamples(points.argument('<series>', SERIES), 'rfqctl settle points @1'),
    async () => (await import('./review.ts')).showPoints,
  )
  addKeeperCommand(settle, attach)

  const claim = chainOptions(
    relayOptions(
      accountOptions(program.command('claim').description('Collect payouts and returned collateral'), 'taker-1'),
    ),
  ).argument(
    '[series]',
    'a row of "series list" such as @1, or a seriesId, which may be shortened (default: all that are settled)',
  )
  attach(withExamples(claim, 'rfqctl claim'), async () => (await import('./claim.ts')).run)
}

/** What an operator does about series without a price to trust. */
function addReviewCommands(settle: Command, attach: Attach): void {
  const review = settle.command('review').description('Resolve series that have no reliable price (operators)')
  attach(
    withExamples(
      relayOptions(review.command('list').description('List the series that wait for review')),
      'rfqctl settle review list',
    ),
    async () => (await import('./review.ts')).listReviews,
  )
  const show = relayOptions(review.command('show').description('Show what is known about the price of a series'))
  attach(
    withExamples(show.argument('<series>', SERIES), 'rfqctl settle review show @1'),
    async () => (await import('./review.ts')).showReview,
  )
  const resolve = relayOptions(review.command('resolve').description('Resolve a series by a decision, which is final'))
    .argument('<series>', SERIES)
    .requiredOption('--price <usd>', 'what its YES token was worth at expiry, 0 to 1 in whole cents', parseResolution)
    .requiredOption('--by <name>', 'name of the person who decides')
    .requiredOption('--reason <text>', 'reason to keep on record')
  attach(
    withExamples(resolve, 'rfqctl settle review resolve @1 --price 0.59 --by Ada --reason "last trade before expiry"'),
    async () => (await import('./review.ts')).resolveReview,
  )
}

/** Settling without being asked. */
function addKeeperCommand(settle: Command, attach: Attach): void {
  const run = settle.command('run').description('Settle series as they expire, and claim for wallets')
  const keeper = chainOptions(relayOptions(accountOptions(run, 'registrar')))
    .option('--claim <wallets>', 'also claim for these sandbox wallets: all, or names such as maker-1,taker-1')
    .option('--claim-key-file <path...>', 'also claim for the wallets of these private keys')
    .addOption(new Option('--every <duration>', 'pause between rounds').argParser(parseDuration).default(15_000, '15s'))
    .addOption(new Option('--for <duration>', 'stop after this time (default: at Ctrl-C)').argParser(parseDuration))
    .addOption(new Option('--once', 'run one round, then exit').conflicts('for'))
  attach(
    withExamples(keeper, 'rfqctl settle run --once', 'rfqctl settle run --claim all --every 1s --for 3s'),
    async () => (await import('./keeper.ts')).runKeeper,
  )
}
