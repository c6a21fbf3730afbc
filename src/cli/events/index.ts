import type { Command } from 'commander'
import { type Attach, relayOptions } from '../declare/command.ts'
import { parseDuration } from '../declare/parse.ts'

export function addEventsCommands(program: Command, attach: Attach): void {
  const events = program.command('events').description("The operator's feed")
  const tail = relayOptions(events.command('tail').description('Follow the events of requests, one line each'))
    .option('--for <duration>', 'stop after this time (default: at Ctrl-C)', parseDuration)
    .option('--ascii', 'ASCII characters only')
  attach(tail, () => import('./tail.ts'), 'run', ['rfqctl events tail --for 2s'])
}
