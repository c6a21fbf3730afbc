import { type Command, Option } from 'commander'
import { type Attach, accountOptions, chainOptions, keyOptions, withExamples } from '../declare/command.ts'
import { parseCount, parseDuration, parsePort } from '../declare/parse.ts'

/** A chain apart from the relay, and what is on it. */
export function addChainCommands(program: Command, attach: Attach): void {
  const chain = program.command('chain').description('The local chain')

  const start = chain.command('start').description('Run a local chain until Ctrl-C')
  start.option('--port <port>', 'port to listen on, 0 picks a free one', parsePort, 8545)
  attach(withExamples(start, 'rfqctl chain start --port 0'), async () => (await import('./chain.ts')).startChain)

  const deploy = keyOptions(
    chainOptions(
      chain
        .command('deploy')
        .description('Deploy the contracts, or resume a deployment; needs a key, except on a local Anvil'),
    ),
  )
    .option('--chain-id <id>', 'expected id of the chain (default: CHAIN_ID, 80002)', parseCount)
    .option('--owner <address>', 'future owner of the core, who must accept (default: the deployer)')
    .option('--resolution-signer <address>', 'address that signs resolutions')
    .option('--minter <address>', 'wallet of the faucet, which mints the test stablecoin')
    .addOption(
      new Option('--stablecoin <address>', 'an existing stablecoin with 6 decimals, instead of a test one').conflicts(
        'minter',
      ),
    )
    .option('--worthless', 'deploy the test stablecoin even if the chain is not a known test network')
    .option('--token-uri <uri>', 'ERC-1155 metadata URI of the options, which can never be changed', '')
    .option('--again', 'make another deployment with this deployer')
    .option('--dry-run', 'only show what would be sent, and the resulting addresses')
  attach(
    withExamples(deploy, 'rfqctl chain deploy', 'rfqctl chain deploy --json > rfqctl.config.json'),
    async () => (await import('./deploy.ts')).deploy,
  )

  const accept = chainOptions(
    accountOptions(
      chain.command('accept-ownership').description('Accept the ownership of a core that names you its owner'),
      'registrar',
    ),
  )
  attach(
    withExamples(accept, 'rfqctl chain accept-ownership'),
    async () => (await import('./deploy.ts')).acceptOwnership,
  )

  const status = chainOptions(chain.command('status').description('Show head, time and contracts'))
  attach(withExamples(status, 'rfqctl chain status'), async () => (await import('./chain.ts')).showStatus)

  const warp = chainOptions(chain.command('warp').description('Move the time of a local chain forward'))
  attach(
    withExamples(warp.argument('<duration>', 'such as 90s, 30m, 1h or 2d', parseDuration), 'rfqctl chain warp 1h'),
    async () => (await import('./chain.ts')).warp,
  )
}
