import type { Command } from 'commander'
import { type Attach, withExamples } from './command.ts'
import { addMakerByHand } from './maker-by-hand.ts'
import { chainOptions, makerOptions, relayOptions } from './options.ts'
import { parseCount, parseDuration, parseSeed, parseUsd } from './parse.ts'
import { parseLatency, parseStyles, STYLE_NAMES } from './parse-bots.ts'

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
    () => import('../commands/maker-simulate.ts'),
  )

  const stream = relayOptions(
    makerOptions(maker.command('stream').description('Show quote requests as makers hear them')),
  ).option('--for <duration>', 'stop after this time (default: at Ctrl-C)', parseDuration)
  attach(withExamples(stream, 'rfqctl maker stream --for 2s'), () => import('../commands/maker-stream.ts'))

  addMakerByHand(maker, attach)

  const status = chainOptions(
    relayOptions(makerOptions(maker.command('status').description('Show funds and live quotes'))),
  )
  attach(withExamples(status, 'rfqctl maker status --account maker-2'), () => import('../commands/maker-status.ts'))

  const approve = chainOptions(
    makerOptions(maker.command('approve').description('Let the contracts draw stablecoin for quotes that win')),
  ).option('--amount <usd>', 'dollars each contract may draw (default: no limit)', parseUsd)
  attach(withExamples(approve, 'rfqctl maker approve --account maker-1'), () => import('../commands/maker-approve.ts'))
}
