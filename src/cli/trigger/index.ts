import type { FaultName } from '@rfqctl/sandbox/scenarios/faults/faults'
import { Argument, type Command } from 'commander'
import { type Attach, accountOptions, chainOptions, relayOptions } from '../declare/command.ts'

/** Listed here because help must not load what the faults need. */
export const FAULT_NAMES = Object.keys({
  'maker-timeout': 0,
  'late-confirm': 0,
  'maker-declines': 0,
  'maker-offline': 0,
  'maker-dies': 0,
  'maker-defunds': 0,
  'all-timeout': 0,
  'bad-signature': 0,
  insolvent: 0,
  'insolvent-at-commit': 0,
  'no-price-data': 0,
  'rpc-down': 0,
} satisfies Record<FaultName, 0>) as FaultName[]

export function addTriggerCommand(program: Command, attach: Attach): void {
  const trigger = chainOptions(
    relayOptions(
      accountOptions(
        program.command('trigger').description('Trigger a fault scenario in a running sandbox'),
        'taker-2',
      ),
    ),
  )
    .addArgument(new Argument('[scenario]', 'the scenario').choices(FAULT_NAMES))
    .option('--list', 'list the scenarios')
  attach(trigger, () => import('./trigger.ts'), 'run', ['rfqctl trigger --list', 'rfqctl trigger maker-timeout'])
}
