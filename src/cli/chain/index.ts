import { type Command, Option } from 'commander'
import { type Attach, withExamples } from '../declare/command.ts'
import { accountOptions, chainOptions, keyOptions } from '../declare/options.ts'
import { parseCount, parseDuration, parsePort } from '../declare/parse.ts'

/** A chain apart from the relay, and what is on it. */
export function addChainCommands(program: Command, attach: Attach): void {
  const chain = program.command('chain').description('The local chain')

  const start = chain.command('start').description('Run a local chain until Ctrl-C')
  start.option('--port <port>', 'port to listen on, 0 picks a free one', parsePort, 8545)
  attach(withExamples(start, 'rfqctl chain start --port 0'), () => import('./start.ts'))

  const deploy = keyOptions(
    chainOptions(
      chain
        .command('deploy')
        .description(
          'Deploy the contracts, or go on with a deployment: with a key to any chain, without one to a local Anvil',
        ),
    ),
  )
    .option('--chain-id <id>', 'id that the chain must have (default: CHAIN_ID, 80002)', parseCount)
    .option('--owner <address>', 'who is to own the core, in two steps (default: the deployer)')
    .option('--resolution-signer <address>', 'who signs resolutions')
    .option('--minter <address>', "the faucet's wallet, which mints the test stablecoin")
    .addOption(
      new Option('--stablecoin <address>', 'a stablecoin of 6 decimals that exists, instead of a test one').conflicts(
        'minter',
      ),
    )
    .option('--worthless', 'deploy the test stablecoin also where the chain is no test network that is known')
    .option('--token-uri <uri>', 'ERC-1155 metadata address of the options, which can never be changed', '')
    .option('--again', 'make a second deployment of this deployer')
    .option('--dry-run', 'only say what would be sent, and at what addresses it would come to be')
  attach(
    withExamples(deploy, 'rfqctl chain deploy', 'rfqctl chain deploy --json > rfqctl.config.json'),
    () => import('./deploy.ts'),
  )

  const accept = chainOptions(
    accountOptions(
      chain.command('accept-ownership').description('Take over the core of a deployment that names you its owner'),
      'registrar',
    ),
  )
  attach(withExamples(accept, 'rfqctl chain accept-ownership'), () => import('./accept-ownership.ts'))

  const status = chainOptions(chain.command('status').description('Show head, time and contracts'))
  attach(withExamples(status, 'rfqctl chain status'), () => import('./status.ts'))

  const warp = chainOptions(chain.command('warp').description('Move the time of a local chain forward'))
  attach(
    withExamples(warp.argument('<duration>', 'like 90s, 30m, 1h or 2d', parseDuration), 'rfqctl chain warp 1h'),
    () => import('./warp.ts'),
  )
}
