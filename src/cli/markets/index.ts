import type { Command } from 'commander'
import { type Attach, relayOptions, withExamples } from '../declare/command.ts'

/** Declares `markets`. */
export function addMarketsCommands(program: Command, attach: Attach): void {
  const markets = program.command('markets').description('Prediction markets')
  attach(
    withExamples(relayOptions(markets.command('list').description('List all markets')), 'rfqctl markets list'),
    async () => (await import('./list.ts')).run,
  )
}
