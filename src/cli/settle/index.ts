import { type Command, Option } from 'commander'
import { type Attach, accountOptions, chainOptions, relayOptions, sendOptions } from '../declare/command.ts'
import { parseDuration, parseResolution } from '../declare/parse.ts'
import { SERIES } from '../series/index.ts'

const EXPIRED =
  'a row of the last "series list" such as @1, or a seriesId, which may be shortened (default: all that expired and are not settled)'

export function addSettleCommands(program: Command, attach: Attach): void {
  const settle = program.command('settle').description('Settle expired series')
  const prepare = relayOptions(settle.command('prepare').description('Get signed resolutions from the relay'))
  attach(prepare.argument('[series]', EXPIRED), () => import('./settle.ts'), 'prepare', ['rfqctl settle prepare'])
  const submit = chainOptions(
    relayOptions(
      accountOptions(settle.command('submit').description('Submit signed resolutions to the chain'), 'taker-1'),
    ),
  )
  attach(submit.argument('[series]', EXPIRED), () => import('./settle.ts'), 'submit', ['rfqctl settle submit'])

  addReviewCommands(settle, attach)
  addManualCommands(settle, attach)
  addDisputeCommands(settle, attach)
  const points = relayOptions(settle.command('points').description('Show the prices that settle a series (operators)'))
  attach(points.argument('<series>', SERIES), () => import('./review.ts'), 'showPoints', ['rfqctl settle points @1'])
  addKeeperCommand(settle, attach)

  const claim = sendOptions(program.command('claim').description('Collect payouts and returned collateral'), 'taker-1')
    .argument(
      '[series]',
      'a row of the last "series list" such as @1, or a seriesId, which may be shortened (default: all that are settled)',
    )
    .option('--to <address>', 'who is paid (default: the wallet itself)')
  attach(claim, () => import('./claim.ts'), 'run', ['rfqctl claim'])
}

function addReviewCommands(settle: Command, attach: Attach): void {
  const review = settle.command('review').description('Resolve series that have no reliable price (operators)')
  attach(
    relayOptions(review.command('list').description('List the series that wait for review')),
    () => import('./review.ts'),
    'listReviews',
    ['rfqctl settle review list'],
  )
  const show = relayOptions(review.command('show').description('Show what is known about the price of a series'))
  attach(show.argument('<series>', SERIES), () => import('./review.ts'), 'showReview', ['rfqctl settle review show @1'])
  const resolve = relayOptions(
    review.command('resolve').description('Resolve all series of a market and expiry by a decision, which is final'),
  )
    .argument('<series>', SERIES)
    .requiredOption('--price <usd>', 'what its YES token was worth at expiry, 0 to 1 in whole cents', parseResolution)
    .requiredOption('--by <name>', 'name of the person who decides')
    .requiredOption('--reason <text>', 'reason to keep on record')
  attach(resolve, () => import('./review.ts'), 'resolveReview', [
    'rfqctl settle review resolve @1 --price 0.59 --by Ada --reason "last trade before expiry"',
  ])
}

function addManualCommands(settle: Command, attach: Attach): void {
  const manual = settle.command('manual').description("Settle series by the owner's price, days after their expiry")
  const propose = sendOptions(manual.command('propose').description('Propose a price, which starts its notice'), OWNER)
    .argument('<series>', SERIES)
    .requiredOption('--price <usd>', 'what its YES token was worth at expiry, 0 to 1 in whole cents', parseResolution)
  attach(propose, () => import('./manual.ts'), 'propose', ['rfqctl settle manual propose @1 --price 0.59'])
  const execute = sendOptions(manual.command('execute').description('Make the proposed price final'), OWNER)
  attach(execute.argument('<series>', SERIES), () => import('./manual.ts'), 'execute', [
    'rfqctl settle manual execute @1',
  ])
  const veto = sendOptions(manual.command('veto').description('Take back the proposed price, once (guardian)'), OWNER)
  attach(veto.argument('<series>', SERIES), () => import('./manual.ts'), 'vetoProposal', [
    'rfqctl settle manual veto @1',
  ])
}

function addDisputeCommands(settle: Command, attach: Attach): void {
  const veto = sendOptions(
    settle.command('veto').description('Take back a price in its dispute window (guardian)'),
    OWNER,
  )
  attach(veto.argument('<series>', SERIES), () => import('./manual.ts'), 'veto', ['rfqctl settle veto @1'])
  const lastResort = sendOptions(
    settle.command('last-resort').description("Settle series by their market's payout, a month after expiry (anyone)"),
    'taker-1',
  )
  attach(lastResort.argument('<series>', SERIES), () => import('./manual.ts'), 'lastResort', [
    'rfqctl settle last-resort @1',
  ])
}

/** The sandbox's wallet that owns the core. */
const OWNER = 'registrar'

function addKeeperCommand(settle: Command, attach: Attach): void {
  const run = settle.command('run').description('Settle series as they expire, and claim for wallets')
  const keeper = chainOptions(relayOptions(accountOptions(run, 'registrar')))
    .option('--claim <wallets>', 'also claim for these sandbox wallets: all, or names such as maker-1,taker-1')
    .option('--claim-key-file <path...>', 'also claim for the wallets of these private keys')
    .addOption(new Option('--every <duration>', 'pause between rounds').argParser(parseDuration).default(15_000, '15s'))
    .option('--for <duration>', 'stop after this time (default: at Ctrl-C)', parseDuration)
    .addOption(new Option('--once', 'run one round, then exit').conflicts('for'))
  attach(keeper, () => import('./keeper.ts'), 'runKeeper', [
    'rfqctl settle run --once',
    'rfqctl settle run --claim all --every 1s --for 3s',
  ])
}
