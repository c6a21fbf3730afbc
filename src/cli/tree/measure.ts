import { type Command, Option } from 'commander'
import { type Attach, withExamples } from './command.ts'
import { accountOptions, chainOptions, relayOptions } from './options.ts'
import { parseCount, parseDuration } from './parse.ts'

const FIVE_SECONDS_MS = 5_000
const TEN_MINUTES_MS = 600_000

/** The last maker of a sandbox: `rfqctl up` plays the first ones, and two that answer for one maker are in each other's way. */
const SPARE_MAKER = 'maker-5'

const durationOption = (flags: string, about: string): Option => new Option(flags, about).argParser(parseDuration)

/** What shows how fast a relay is, and whether it stays so. */
export function addMeasureCommands(program: Command, attach: Attach): void {
  const bench = accountOptions(
    chainOptions(relayOptions(program.command('bench').description('Time a running relay as its clients see it'))),
    SPARE_MAKER,
  )
    .addOption(durationOption('--for <time>', 'how long each load lasts').default(FIVE_SECONDS_MS, '5s'))
    .option('--connections <count>', 'calls under way at a time', parseCount, 10)
  attach(withExamples(bench, 'rfqctl bench --for 2s'), () => import('../commands/bench.ts'))

  const soak = program
    .command('soak')
    .description('Keep a relay of its own busy for long, and watch that nothing breaks, leaks or slows down')
    .addOption(durationOption('--for <time>', 'how long').default(TEN_MINUTES_MS, '10m'))
    .option('--makers <count>', 'makers that are connected', parseCount, 200)
    .option('--rounds <count>', 'rounds begun each second', parseCount, 50)
    .option('--quotes <count>', 'makers that quote in a round', parseCount, 200)
  attach(withExamples(soak, 'rfqctl soak --for 5s --makers 20 --rounds 10'), () => import('../commands/soak.ts'))
}
