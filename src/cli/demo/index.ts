import type { Command } from 'commander'
import type { Attach } from '../declare/command.ts'
import { parseSpeed } from '../declare/parse.ts'

export function addDemoCommand(program: Command, attach: Attach): void {
  const demo = program
    .command('demo')
    .description('Run one trade end to end and verify every balance')
    .option('--speed <factor>', '1 is real time; below 1, each step pauses to be read', parseSpeed, 1)
  attach(demo, () => import('./demo.ts'), 'run', ['rfqctl demo', 'rfqctl demo --speed 0.5'])
}
