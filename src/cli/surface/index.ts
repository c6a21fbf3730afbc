import type { Command } from 'commander'
import { type Attach, chainOptions, relayOptions } from '../declare/command.ts'

export function addSurfaceCommand(program: Command, attach: Attach): void {
  const surface = chainOptions(relayOptions(program.command('surface')))
    .description('Show what the open series of a market are worth, by the volatilities that levels and trades show')
    .argument('<market>', 'a row of the last "markets list" such as @1, or its conditionId, which may be shortened')
  attach(surface, () => import('./surface.ts'), 'surface', ['rfqctl surface @1', 'rfqctl surface @1 --json'])
}
