import { safeText } from '../../domain/safe-text.ts'
import type { Run } from '../cli.ts'
import { operatorClient } from '../context/operator.ts'
import type { RelayOptions } from '../context/targets.ts'

type Options = RelayOptions & { by?: string; reason?: string }

/** Shuts a maker out of the relay, or lets it in again. */
export const decideBlock =
  (isBlocked: boolean): Run<Options, [makerId: string]> =>
  async (cli, options, makerId) => {
    const { by = '', reason = '' } = options
    const block = await operatorClient(cli, options).blockMaker({ makerId, isBlocked, by, reason, signal: cli.stop })
    const { colors } = cli.out
    const words = isBlocked ? colors.red('blocked') : colors.green('unblocked')
    cli.out.print(
      { type: isBlocked ? 'blocked' : 'unblocked', ...block, at: new Date(block.at).toISOString() },
      `maker ${safeText(block.makerId)} is ${words}, by ${safeText(block.by)}`,
    )
  }
