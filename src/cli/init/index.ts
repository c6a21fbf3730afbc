import type { ProfileName } from '@rfqctl/relay/config/profiles'
import { Argument, type Command } from 'commander'
import type { Attach } from '../declare/command.ts'
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
    .option('--rpc-url <url>', 'JSON-RPC of the chain (custom: required)', parseSourceUrl)
    .option('--chain-id <id>', 'its chain id (custom: required)', parseChainId)
    .option('--block-time <duration>', 'how far apart its blocks are (custom; default: 12s)', parseDuration)
    .option('--stablecoin <address>', 'an existing stablecoin with 6 decimals')
    .option('--force', 'replace a file that is there')
  attach(init, () => import('./init.ts'), 'run', [
    'rfqctl init polygon',
    'rfqctl init custom --chain-id 8453 --rpc-url https://node.example --block-time 2s',
  ])
}
