import type { ProfileName } from '@rfqctl/relay/config/profiles'
import { Argument, type Command, Option } from 'commander'
import { type Attach, withExamples } from '../declare/command.ts'
import { parseChainId, parseDuration } from '../declare/parse.ts'
import { parseSourceUrl } from '../declare/parse-listing.ts'

const PROFILES = Object.keys({ local: 0, amoy: 0, polygon: 0, custom: 0 } satisfies Record<ProfileName, 0>)

export function addInitCommand(program: Command, attach: Attach): void {
  const init = program
    .command('init')
    .description('Write a settings file with comments, rfqctl.config.json, that serve starts with')
    .addArgument(
      new Argument('<profile>', "local: the relay's own chain; amoy and polygon: those; custom: any other").choices(
        PROFILES,
      ),
    )
    .addOption(new Option('--rpc-url <url>', 'JSON-RPC of the chain (custom: required)').argParser(parseSourceUrl))
    .addOption(new Option('--chain-id <id>', 'its chain id (custom: required)').argParser(parseChainId))
    .addOption(
      new Option('--block-time <duration>', 'how far apart its blocks are (custom; default: 12s)').argParser(
        parseDuration,
      ),
    )
    .option('--stablecoin <address>', 'an existing stablecoin with 6 decimals')
    .option('--force', 'replace a file that is there')
  attach(
    withExamples(
      init,
      'rfqctl init polygon',
      'rfqctl init custom --chain-id 8453 --rpc-url https://node.example --block-time 2s',
    ),
    async () => (await import('./init.ts')).run,
  )
}
