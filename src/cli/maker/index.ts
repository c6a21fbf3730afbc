import type { Command } from 'commander'
import { type Attach, withExamples } from '../declare/command.ts'
import { chainOptions, makerOptions, relayOptions } from '../declare/options.ts'
import { parseCount, parseDuration, parseSeed, parseUsd } from '../declare/parse.ts'
import { parseLatency, parseStyles, STYLE_NAMES } from '../declare/parse-bots.ts'
import { addMakerByHand } from './by-hand.ts'

/** What a market maker does. */
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
    .option('--seed <number>', 'equal seeds make the makers behave the same', parseSeed, 1)
    .option('--for <duration>', 'stop after this time (default: at Ctrl-C)', parseDuration)
  attach(
    withExamples(
      simulate,
      'rfqctl maker simulate --seed 7',
      'rfqctl maker simulate --count 2 --strategy tight,late --latency 50 --for 2s',
    ),
    async () => (await import('./simulate.ts')).run,
  )

  const stream = relayOptions(
    makerOptions(maker.command('stream').description('Show quote requests as makers receive them')),
  ).option('--for <duration>', 'stop after this time (default: at Ctrl-C)', parseDuration)
  attach(withExamples(stream, 'rfqctl maker stream --for 2s'), async () => (await import('./stream.ts')).run)

  addMakerByHand(maker, attach)

  const status = chainOptions(
    relayOptions(makerOptions(maker.command('status').description('Show funds and live quotes'))),
  )
  attach(withExamples(status, 'rfqctl maker status --account maker-2'), async () => (await import('./status.ts')).run)

  addMakersForOperators(maker, attach)

  const approve = chainOptions(
    makerOptions(maker.command('approve').description('Approve the contracts to draw stablecoin for winning quotes')),
  ).option('--amount <usd>', 'dollars each contract may draw (default: no limit)', parseUsd)
  attach(
    withExamples(approve, 'rfqctl maker approve --account maker-1'),
    async () => (await import('./approve.ts')).run,
  )
}

/** What an operator does about makers. */
function addMakersForOperators(maker: Command, attach: Attach): void {
  const standing = relayOptions(
    maker.command('standing').description('Show which makers confirm, miss or rank behind (operators)'),
  )
  attach(withExamples(standing, 'rfqctl maker standing'), async () => (await import('./standing.ts')).run)

  const block = relayOptions(
    maker.command('block').description('Block a maker: its keys, quotes and streams (operators)'),
  )
    .argument('<makerId>', 'the maker, as "maker standing" names it')
    .option('--by <name>', 'name of the person who decides')
    .option('--reason <text>', 'reason to keep on record')
  attach(
    withExamples(block, 'rfqctl maker block maker-5 --by Ada --reason "never signs"'),
    async () => (await import('./block.ts')).run,
  )

  const unblock = relayOptions(maker.command('unblock').description('Unblock a maker and clear its misses (operators)'))
    .argument('<makerId>', 'the maker, as "maker standing" names it')
    .option('--by <name>', 'name of the person who decides')
    .option('--reason <text>', 'reason to keep on record')
  attach(withExamples(unblock, 'rfqctl maker unblock maker-5'), async () => (await import('./unblock.ts')).run)
}
