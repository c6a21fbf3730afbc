import { when } from '@rfqctl/lib/format'
import { safeText } from '@rfqctl/protocol/domain/safe-text'
import type { Cli, Run } from '../cli.ts'
import { operatorClient } from '../context/operator.ts'
import type { RelayOptions } from '../context/targets.ts'

export const showMakers: Run<RelayOptions> = async (cli: Cli, options) => {
  const { makers, blocks } = await operatorClient(cli, options).listMakers({ signal: cli.stop })
  const blocked = new Map(blocks.filter(({ isBlocked }) => isBlocked).map((block) => [block.makerId, block]))
  const now = Date.now()
  for (const maker of makers) {
    const { makerId, confirmed, declined, missed, demotedUntil, suspendedUntil } = maker
    const demotion = demotedUntil === null ? '' : `, ranks behind, until ${when(demotedUntil, now)}`
    const suspension = suspendedUntil === null ? '' : `, suspended until ${when(suspendedUntil, now)}`
    cli.out.print(
      { type: 'maker', ...maker, blocked: blocked.has(makerId) },
      `${safeText(makerId)}: ${confirmed} confirmed, ${declined} declined, ${missed} missed${demotion}${suspension}`,
    )
  }
  for (const { makerId, at, by, reason } of blocked.values()) {
    const why = reason === '' ? '' : `: ${safeText(reason)}`
    cli.out.print(
      { type: 'block', makerId, at: new Date(at).toISOString(), by, reason },
      `${cli.out.colors.red('blocked')} ${safeText(makerId)} ${when(at, now)}, by ${safeText(by)}${why}`,
    )
  }
  if (makers.length === 0 && blocked.size === 0) cli.out.note('No maker has been active yet.')
}

type Options = RelayOptions & { by?: string; reason?: string }

const decideBlock =
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

export const block = decideBlock(true)

export const unblock = decideBlock(false)
