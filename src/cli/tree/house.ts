import { Argument, type Command } from 'commander'
import { SCENARIO_NAMES } from '../trigger/scenario-names.ts'
import { type Attach, withExamples } from './command.ts'
import { accountOptions, chainOptions, relayOptions, serveOptions } from './options.ts'
import { parseCount, parseSeed, parseSpeed } from './parse.ts'

/** What starts things: serve, up, demo; what they would start with, and what it would speak. */
export function addHouseCommands(program: Command, attach: Attach): void {
  const up = serveOptions(
    program.command('up').description('Start a whole market: chain, contracts, series, relay and simulated makers'),
  )
    .option('--makers <count>', 'simulated makers', parseCount, 3)
    .option('--nodes <count>', 'relays behind one address; several share a Postgres and a Redis', parseCount, 1)
    .option('--seed <number>', 'the makers behave alike for equal seeds', parseSeed, 1)
    .option('--busy', 'simulated takers too, so that there is something to watch at once')
    .option('--dashboard', 'then show the dashboard; quitting it ends everything')
  attach(withExamples(up, 'rfqctl up'), () => import('../commands/up.ts'))

  const serve = serveOptions(program.command('serve').description('Start the relay, by default on a chain of its own'))
  attach(
    withExamples(serve, 'rfqctl serve', 'rfqctl serve --memory --no-chain --port 0 --json'),
    () => import('../commands/serve.ts'),
  )

  const demo = program
    .command('demo')
    .description('Run one trade end to end and verify every balance')
    .option('--speed <factor>', 'below 1: steps wait to be read; 1 is as it happens', parseSpeed, 1)
  attach(withExamples(demo, 'rfqctl demo', 'rfqctl demo --speed 0.5'), () => import('../commands/demo.ts'))

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
  attach(
    withExamples(trigger, 'rfqctl trigger --list', 'rfqctl trigger maker-timeout'),
    () => import('../commands/trigger.ts'),
  )

  const config = program.command('config').description('Settings')
  const view = serveOptions(
    config.command('view').description('Show every setting that serve would start with'),
  ).option('--origin', 'show where each value comes from')
  attach(withExamples(view, 'rfqctl config view --origin'), () => import('../commands/config-view.ts'))

  const api = program.command('api').description("The relay's API, for those who generate code")
  const document = new Argument('<document>', 'openapi: HTTP; asyncapi: streams and socket').choices([
    'openapi',
    'asyncapi',
  ])
  api.addArgument(document)
  attach(withExamples(api, 'rfqctl api openapi'), () => import('../commands/api.ts'))
}
