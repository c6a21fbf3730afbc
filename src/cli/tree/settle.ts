import type { Command } from 'commander'
import { type Attach, withExamples } from './command.ts'
import { accountOptions, chainOptions, relayOptions } from './options.ts'

const EXPIRED =
  'a row of "series list" like @1, or a seriesId, shortened (default: all that expired and are not settled)'

/** What happens after expiry. */
export function addSettleCommands(program: Command, attach: Attach): void {
  const settle = program.command('settle').description('Settle series that expired')
  const prepare = relayOptions(settle.command('prepare').description('Get signed resolutions from the relay'))
  attach(
    withExamples(prepare.argument('[series]', EXPIRED), 'rfqctl settle prepare'),
    () => import('../commands/settle-prepare.ts'),
  )
  const submit = chainOptions(
    relayOptions(
      accountOptions(settle.command('submit').description('Relay signed resolutions to the chain'), 'taker-1'),
    ),
  )
  attach(
    withExamples(submit.argument('[series]', EXPIRED), 'rfqctl settle submit'),
    () => import('../commands/settle-submit.ts'),
  )

  const claim = chainOptions(
    relayOptions(
      accountOptions(program.command('claim').description('Collect payouts and returned collateral'), 'taker-1'),
    ),
  ).argument('[series]', 'a row of "series list" like @1, or a seriesId, shortened (default: all that are settled)')
  attach(withExamples(claim, 'rfqctl claim'), () => import('../commands/claim.ts'))
}
