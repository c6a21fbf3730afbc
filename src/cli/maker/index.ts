import { type Command, Option } from 'commander'
import { type Attach, chainOptions, keyOptions, makerOptions, relayOptions, sendOptions } from '../declare/command.ts'
import {
  parseCount,
  parseDuration,
  parseDurationUpTo,
  parseLatency,
  parseNonce,
  parseSeed,
  parseStyles,
  parseUsd,
  STYLE_NAMES,
} from '../declare/parse.ts'
import { closeOptions } from '../taker/index.ts'

export function addMakerCommands(program: Command, attach: Attach): void {
  const maker = program.command('maker').description('Quote: simulated makers, streams, approvals')

  const simulate = chainOptions(
    relayOptions(maker.command('simulate').description('Run simulated makers that quote from a pricing model')),
  )
    .option('--count <count>', 'number of makers (default: 3, or fewer if fewer are free)', parseCount)
    .option(
      '--strategy <names>',
      `styles, assigned in turn: ${STYLE_NAMES.join(', ')} (default: the honest four)`,
      parseStyles,
    )
    .option('--latency <ms>', 'delay before each quote (default: that of the style)', parseLatency)
    .option('--firm', 'sign orders with the quotes, where a request names its wallet')
    .option('--seed <number>', 'equal seeds make the makers behave the same', parseSeed, 1)
    .option('--for <duration>', 'stop after this time (default: at Ctrl-C)', parseDuration)
  attach(simulate, () => import('./simulate.ts'), 'simulate', [
    'rfqctl maker simulate --seed 7',
    'rfqctl maker simulate --count 2 --strategy tight,late --latency 50 --for 2s',
  ])

  const stream = relayOptions(
    makerOptions(maker.command('stream').description('Show quote requests as makers receive them')),
  ).option('--for <duration>', 'stop after this time (default: at Ctrl-C)', parseDuration)
  attach(stream, () => import('./stream.ts'), 'run', ['rfqctl maker stream --for 2s'])

  addMakerByHand(maker, attach)

  const status = signing(maker.command('status').description('Show funds and live quotes'))
  attach(status, () => import('./status.ts'), 'showStatus', ['rfqctl maker status --account maker-2'])

  addMakersForOperators(maker, attach)

  const approve = chainOptions(
    makerOptions(maker.command('approve').description('Approve the contracts to draw stablecoin for winning quotes')),
  ).option('--amount <usd>', 'dollars each contract may draw (default: no limit)', parseUsd)
  attach(approve, () => import('./transactions.ts'), 'approve', ['rfqctl maker approve --account maker-1'])
}

function addMakersForOperators(maker: Command, attach: Attach): void {
  const standing = chainOptions(
    relayOptions(
      maker.command('standing').description('Show which makers confirm, miss or rank behind, or your record'),
    ),
  )
  keyOptions(
    standing.option('--account <name>', 'a maker, whose own record is shown (default: all makers, for operators)'),
  )
  attach(standing, () => import('./standing.ts'), 'showStanding', [
    'rfqctl maker standing --account maker-1',
    'rfqctl maker standing',
  ])

  const decision = (name: string, description: string) =>
    relayOptions(maker.command(name).description(description))
      .argument('<makerId>', 'the maker, as "maker standing" names it')
      .option('--by <name>', 'name of the person who decides')
      .option('--reason <text>', 'reason to keep on record')
  const block = decision('block', 'Block a maker: its keys, quotes and streams (operators)')
  attach(block, () => import('./operate.ts'), 'block', ['rfqctl maker block maker-5 --by Ada --reason "never signs"'])

  const unblock = decision('unblock', 'Unblock a maker, clear its misses and end its suspension (operators)')
  attach(unblock, () => import('./operate.ts'), 'unblock', ['rfqctl maker unblock maker-5'])
}

const calling = (command: Command): Command => chainOptions(relayOptions(makerOptions(command)))

const sending = (maker: Command, name: string, description: string): Command =>
  sendOptions(maker.command(name).description(description), 'maker-1')

/** The key may sign for another wallet. */
const signing = (command: Command): Command =>
  calling(command).option(
    '--maker <address>',
    'wallet that has authorised the key to sign for it (default: that of the key)',
  )

const QUOTE = 'a quoteId or requestId, which may be shortened (default: the one that waits)'

function addMakerByHand(maker: Command, attach: Attach): void {
  const quote = signing(maker.command('quote').description('Submit or update a quote'))
    .argument('[requestId]', 'the request, which may be shortened (default: the newest open request)')
    .requiredOption('--price <usd>', 'dollars per option; of a quote on both sides, what you take for one', parseUsd)
    .option('--bid <usd>', 'on a request for both sides: what you pay for one', parseUsd)
    .requiredOption('--size <count>', 'the most options to write or buy', parseCount)
    .option('--lifetime <duration>', 'lifetime of the quote (default: while the request is open)', parseDuration)
    .option('--firm', 'sign the order now, so that a commit need not ask')
  attach(quote, () => import('./quotes.ts'), 'quote', [
    'rfqctl maker quote --account maker-4 --price 0.2 --size 1000',
    'rfqctl maker quote --account maker-4 --price 0.2 --size 1000 --lifetime 30s --firm',
    'rfqctl maker quote --account maker-4 --bid 0.18 --price 0.2 --size 1000',
    'rfqctl maker quote --account maker-5 --maker 0x976EA74026E726554dB657fA54763abd0C3a0aa9 --price 0.2 --size 1000',
  ])

  const waiting = (command: Command) =>
    command
      .argument('[quote]', QUOTE)
      .option('--wait <duration>', 'wait this long for an order (default: do not wait)', parseDuration)
  const confirm = waiting(signing(maker.command('confirm').description('Sign the order of a quote that won')))
  attach(confirm, () => import('./orders.ts'), 'confirm', ['rfqctl maker confirm --account maker-4 --wait 5m'])
  const decline = waiting(
    calling(maker.command('decline').description('Refuse to sign; the next maker is asked at once')),
  ).option('--reason <text>', 'reason to give to the operator')
  attach(decline, () => import('./orders.ts'), 'decline', [
    'rfqctl maker decline --account maker-4 --wait 5m --reason "price moved"',
  ])

  const withdraw = relayOptions(makerOptions(maker.command('withdraw').description('Withdraw live quotes')))
    .argument('[quote]', 'a quoteId or requestId, which may be shortened (default: your only live quote)')
    .option('--all', 'withdraw every live quote, in one step')
    .option('--series <series>', 'withdraw the quotes of a series, in one step')
    .option('--market <market>', 'withdraw the quotes of a market, in one step')
  attach(withdraw, () => import('./quotes.ts'), 'withdraw', ['rfqctl maker withdraw --account maker-4 --all'])

  const protect = relayOptions(
    makerOptions(maker.command('protect').description('Show, replace or reset what the relay holds for a maker')),
  )
    .option('--on-disconnect <grace>', 'withdraw all quotes this long after a disconnect', parseDurationUpTo('1h'))
    .addOption(
      new Option(
        '--channels <which>',
        'disconnected from any of stream and socket, or from all (default: all)',
      ).choices(['any', 'all']),
    )
    .option('--window <duration>', 'length of the window in which trades are counted', parseDurationUpTo('1d'))
    .option('--max-accepted <count>', 'most orders in the window', parseCount)
    .option('--max-contracts <count>', 'most options in the window', parseCount)
    .option('--max-notional <usd>', 'most premium in the window', parseUsd)
    .option('--max-collateral <usd>', 'most collateral locked in the window', parseUsd)
    .option('--freeze <duration>', 'time that a trip lasts (default: until a reset)', parseDurationUpTo('1d'))
    .option('--max-size <count>', 'largest quote, in options', parseCount)
    .option('--off', 'turn all protections off')
    .option('--reset', 'end a trip and count again')
  attach(protect, () => import('./protect.ts'), 'protect', [
    'rfqctl maker protect --account maker-4 --on-disconnect 2s --window 1m --max-accepted 10 --freeze 30s',
    'rfqctl maker protect --account maker-4 --reset',
  ])

  const history = relayOptions(
    makerOptions(maker.command('history').description('Show how your quotes ended, oldest first')),
  )
    .option('--since <duration>', 'how far back (default: everything kept)', parseDuration)
    .addOption(new Option('--status <status>', 'only quotes that ended like this').choices(['confirmed', 'rejected']))
  attach(history, () => import('./status.ts'), 'showHistory', [
    'rfqctl maker history --account maker-1 --since 1h --status confirmed',
  ])

  const cancelNonce = sending(maker, 'cancel-nonce', 'Cancel a signed order on chain, by its nonce').argument(
    '<nonce>',
    'the nonce of the order, as in "rfqctl maker history"',
    parseNonce,
  )
  attach(cancelNonce, () => import('./transactions.ts'), 'cancelNonce', [
    'rfqctl maker cancel-nonce 4294967297 --account maker-4',
  ])

  const cancelAll = sending(maker, 'cancel-all', 'Cancel every signed order on chain that is still open')
    .option('--first <nonce>', 'from this nonce on (default: the lowest that the relay knows to be open)', parseNonce)
    .option('--last <nonce>', 'up to this nonce (default: the highest that the relay knows to be open)', parseNonce)
  attach(cancelAll, () => import('./transactions.ts'), 'cancelAll', [
    'rfqctl maker cancel-all --account maker-4 --first 4294967297 --last 4294967400',
    'rfqctl maker cancel-all --account maker-4',
  ])

  addSigners(maker, attach)

  const close = closeOptions(maker, 'maker-1')
  attach(close, () => import('../taker/close.ts'), 'close', ['rfqctl maker close --account maker-4'])
}

function addSigners(maker: Command, attach: Attach): void {
  const authorize = sending(maker, 'authorize', 'Let another key sign orders for the wallet, and do nothing else')
    .argument('<signer>', 'address of the key')
    .requiredOption('--for <duration>', 'time until the key lapses, at most 366d', parseDurationUpTo('366d'))
  attach(authorize, () => import('./signers.ts'), 'authorize', [
    'rfqctl maker authorize 0x14dC79964da2C08b23698B3D3cc7Ca32193d9955 --for 30d --account maker-4 --yes',
    'rfqctl maker authorize 0x14dC79964da2C08b23698B3D3cc7Ca32193d9955 --for 30d --account maker-4 --calldata',
  ])

  const revoke = sending(maker, 'revoke', 'End at once that another key signs orders for the wallet').argument(
    '<signer>',
    'address of the key',
  )
  attach(revoke, () => import('./signers.ts'), 'revoke', [
    'rfqctl maker revoke 0x14dC79964da2C08b23698B3D3cc7Ca32193d9955 --account maker-4',
  ])
}
