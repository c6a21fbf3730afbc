import type { Command } from 'commander'
import { type Attach, withExamples } from '../declare/command.ts'
import { chainOptions, makerOptions, relayOptions } from '../declare/options.ts'
import { parseCount, parseDuration, parseSeed, parseUsd } from '../declare/parse.ts'
import { parseLatency, parseStyles, STYLE_NAMES } from '../declare/parse-bots.ts'
import { addMakerByHand } from './by-hand.ts'

/** What a market maker does. */
export function addMakerCommands(program: Command, attach: Attach): void {
  const maker = program.command('maker').description('Quote: simulated makers, streams, approvals')

  const simulate = chainOptions(relayOptions(maker.command('simulate').description('Run makers that quote by a model')))
    .option('--count <count>', 'how many makers (default: 3, or as many as nobody plays yet)', parseCount)
    .option(
      '--strategy <names>',
      `characters, given out in turn: ${STYLE_NAMES.join(', ')} (default: the honest four)`,
      parseStyles,
    )
    .option('--latency <ms>', 'time to think before each quote (default: as the character does)', parseLatency)
    .option('--seed <number>', 'the makers behave alike for equal seeds', parseSeed, 1)
    .option('--for <duration>', 'stop after this time (default: at Ctrl-C)', parseDuration)
  attach(
    withExamples(
      simulate,
      'rfqctl maker simulate --seed 7',
      'rfqctl maker simulate --count 2 --strategy tight,late --latency 50 --for 2s',
    ),
    () => import('./simulate.ts'),
  )

  const stream = relayOptions(
    makerOptions(maker.command('stream').description('Show quote requests as makers hear them')),
  ).option('--for <duration>', 'stop after this time (default: at Ctrl-C)', parseDuration)
  attach(withExamples(stream, 'rfqctl maker stream --for 2s'), () => import('./stream.ts'))

  addMakerByHand(maker, attach)

  const status = chainOptions(
    relayOptions(makerOptions(maker.command('status').description('Show funds and live quotes'))),
  )
  attach(withExamples(status, 'rfqctl maker status --account maker-2'), () => import('./status.ts'))

  addMakersForOperators(maker, attach)

  const approve = chainOptions(
    makerOptions(maker.command('approve').description('Let the contracts draw stablecoin for quotes that win')),
  ).option('--amount <usd>', 'dollars each contract may draw (default: no limit)', parseUsd)
  attach(withExamples(approve, 'rfqctl maker approve --account maker-1'), () => import('./approve.ts'))
}

/** What an operator does about makers. */
function addMakersForOperators(maker: Command, attach: Attach): void {
  const standing = relayOptions(
    maker.command('standing').description('Show who confirms, misses, ranks behind (operators)'),
  )
  attach(withExamples(standing, 'rfqctl maker standing'), () => import('./standing.ts'))

  const block = relayOptions(
    maker.command('block').description('Shut a maker out: its keys, quotes, streams (operators)'),
  )
    .argument('<makerId>', 'the maker, as "maker standing" names it')
    .option('--by <name>', 'who decides')
    .option('--reason <text>', 'why, for whoever asks later')
  attach(withExamples(block, 'rfqctl maker block maker-5 --by Ada --reason "never signs"'), () => import('./block.ts'))

  const unblock = relayOptions(
    maker.command('unblock').description('Let a maker in again, and forget its misses (operators)'),
  )
    .argument('<makerId>', 'the maker, as "maker standing" names it')
    .option('--by <name>', 'who decides')
    .option('--reason <text>', 'why, for whoever asks later')
  attach(withExamples(unblock, 'rfqctl maker unblock maker-5'), () => import('./unblock.ts'))
}
