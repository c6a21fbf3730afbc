import { type Command, Option } from 'commander'
import { type Attach, accountOptions, chainOptions, relayOptions } from '../declare/command.ts'
import { parseCount, parseDuration } from '../declare/parse.ts'

const FIVE_SECONDS_MS = 5_000

/** The last maker of a sandbox: `rfqctl up` runs the first ones, and two programs of one maker conflict. */
const SPARE_MAKER = 'maker-5'

const durationOption = (flags: string, about: string): Option => new Option(flags, about).argParser(parseDuration)

export function addBenchCommand(program: Command, attach: Attach): void {
  const bench = accountOptions(
    chainOptions(relayOptions(program.command('bench').description('Measure a running relay as its clients see it'))),
    SPARE_MAKER,
  )
    .addOption(durationOption('--for <time>', 'duration of each load').default(FIVE_SECONDS_MS, '5s'))
    .option('--connections <count>', 'concurrent calls', parseCount, 10)
  attach(bench, () => import('./bench.ts'), 'run', ['rfqctl bench --for 2s'])
}
