import { Argument, type Command } from 'commander'
import { type Attach, accountOptions, chainOptions, relayOptions, withExamples } from '../declare/command.ts'
import { SCENARIO_NAMES } from './scenario-names.ts'

/** Declares `trigger`. */
export function addTriggerCommand(program: Command, attach: Attach): void {
  const trigger = chainOptions(
    relayOptions(
      accountOptions(
        program.command('trigger').description('Trigger a fault scenario in a running sandbox'),
        'taker-2',
      ),
    ),
  )
    .addArgument(new Argument('[scenario]', 'the scenario').choices(SCENARIO_NAMES))
    .option('--list', 'list the scenarios')
  attach(
    withExamples(trigger, 'rfqctl trigger --list', 'rfqctl trigger maker-timeout'),
    async () => (await import('./trigger.ts')).run,
  )
}
