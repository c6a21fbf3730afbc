import { createOperatorClient } from '../../client/operator.ts'
import { knownOperatorToken } from '../context/operator.ts'
import type { Stage } from './stage.ts'

/**
 * Has the relay forget what a maker missed in scenarios before: it would rank behind everyone and never win. Without the
 * operator token nothing is done.
 */
export async function forgive({ cli, options, url, signal }: Stage, makerId: string): Promise<void> {
  const token = knownOperatorToken(cli, options)
  if (token === null) return
  const operator = createOperatorClient({ url, token })
  const { makers } = await operator.listMakers({ signal })
  if (makers.find((maker) => maker.makerId === makerId)?.demotedUntil == null) return
  await operator.blockMaker({
    makerId,
    isBlocked: false,
    by: 'rfqctl trigger',
    reason: 'the scenario has ended',
    signal,
  })
}
