import type { Command } from 'commander'
import { type Attach, withExamples } from './command.ts'
import { chainOptions } from './options.ts'
import { parseDuration, parseHash, parsePort } from './parse.ts'

/** A chain apart from the relay, and what is on it. */
export function addChainCommands(program: Command, attach: Attach): void {
  const chain = program.command('chain').description('The local chain')

  const start = chain.command('start').description('Run a local chain until Ctrl-C')
  start.option('--port <port>', 'port to listen on, 0 picks a free one', parsePort, 8545)
  attach(withExamples(start, 'rfqctl chain start --port 0'), () => import('../commands/chain-start.ts'))

  const deploy = chainOptions(
    chain.command('deploy').description('Deploy the contracts and the series to a local chain'),
  )
  attach(
    withExamples(deploy, 'rfqctl chain deploy', 'rfqctl chain deploy --json > rfqctl.config.json'),
    () => import('../commands/chain-deploy.ts'),
  )

  const status = chainOptions(chain.command('status').description('Show head, time and contracts'))
  attach(withExamples(status, 'rfqctl chain status'), () => import('../commands/chain-status.ts'))

  const warp = chainOptions(chain.command('warp').description('Move the time of a local chain forward'))
  attach(
    withExamples(warp.argument('<duration>', 'like 90s, 30m, 1h or 2d', parseDuration), 'rfqctl chain warp 1h'),
    () => import('../commands/chain-warp.ts'),
  )

  const tx = program.command('tx').description('Transactions')
  const explain = chainOptions(tx.command('explain').description('Say what a transaction did, or why it could not'))
  attach(
    withExamples(
      explain.argument('[hash]', 'hash of the transaction (default: your newest fill)', parseHash),
      'rfqctl tx explain',
    ),
    () => import('../commands/tx-explain.ts'),
  )
}
