import { type Command, Option } from 'commander'
import { type Attach, withExamples } from './command.ts'
import { chainOptions, relayOptions } from './options.ts'
import { parseDuration } from './parse.ts'

/** What those who run a relay look at. */
export function addOperatorCommands(program: Command, attach: Attach): void {
  const dashboard = relayOptions(
    program
      .command('dashboard')
      .description('Watch requests, quotes, confirmations, makers and settlement live; it only looks'),
  )
    .option('--once', 'print what there is now, and end; needs no terminal')
    .addOption(
      new Option('--view <view>', 'the view to start with, or to print').choices([
        'requests',
        'makers',
        'confirmations',
        'settlement',
        'events',
        'health',
      ]),
    )
    .option('--ascii', 'draw with ASCII signs only')
    .option('--screen-reader', 'tell in sentences instead of drawing; INK_SCREEN_READER=true works too')
  attach(
    withExamples(dashboard, 'rfqctl dashboard --once', 'rfqctl dashboard --once --view makers --ascii'),
    () => import('../commands/dashboard.ts'),
  )

  const events = program.command('events').description("The operator's feed")
  const tail = relayOptions(events.command('tail').description('Follow what happens to requests, a line each'))
    .option('--for <duration>', 'stop after this time (default: at Ctrl-C)', parseDuration)
    .option('--ascii', 'ASCII signs only')
  attach(withExamples(tail, 'rfqctl events tail --for 2s'), () => import('../commands/events-tail.ts'))

  const audit = relayOptions(
    program.command('audit').description('Tell the life of a request: quotes, refusals, who was asked and signed'),
  )
    .argument('[request]', 'a requestId; one of your own may be shortened (default: your newest request)')
    .option('--ascii', 'ASCII signs only')
  attach(withExamples(audit, 'rfqctl audit'), () => import('../commands/audit.ts'))

  const doctor = chainOptions(
    relayOptions(
      program.command('doctor').description('Look at everything that commands need, and say what to do about faults'),
    ),
  )
  attach(withExamples(doctor, 'rfqctl doctor'), () => import('../commands/doctor.ts'))
}
