import { Argument, type Command } from 'commander'
import { type Attach, withExamples } from '../declare/command.ts'
import { accountOptions, chainOptions, relayOptions } from '../declare/options.ts'
import { SCENARIO_NAMES } from './scenario-names.ts'

/** Declares `trigger`. */
export function addTriggerCommand(program: Command, attach: Attach): void {
  const trigger = chainOptions(
    relayOptions(
      accountOptions(
        program.command('trigger').description('Make a named thing happen in a running sandbox'),
        'taker-2',
      ),
    ),
  )
    .addArgument(new Argument('[scenario]', 'what is to happen').choices(SCENARIO_NAMES))
    .option('--list', 'list the scenarios')
  attach(withExamples(trigger, 'rfqctl trigger --list', 'rfqctl trigger maker-timeout'), () => import('./trigger.ts'))
}
