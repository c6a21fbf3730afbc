import { RfqError } from '../../../../src/protocol/domain/errors.ts'
import { usd6 } from '../../../../src/protocol/domain/units.ts'
import { fillOf, refused, STRANGER } from '../../relayer/fixture.ts'
import { startRelayerServer } from '../relayer-fixture.ts'
import type { Producers } from './produce.ts'

const submitting =
  (fill = fillOf()) =>
  async () =>
    (await startRelayerServer()).submit(fill)

export const RELAYER: Producers<
  | 'relayer_unavailable'
  | 'authorization_mismatch'
  | 'fee_too_low'
  | 'fill_too_late'
  | 'fill_refused'
  | 'fill_too_expensive'
  | 'fill_in_progress'
  | 'fill_not_found'
> = {
  relayer_unavailable: async () => {
    const { chain, submit } = await startRelayerServer()
    chain.coin = 0n
    return submit()
  },
  authorization_mismatch: submitting(fillOf({ authorization: { feeRecipient: STRANGER } })),
  fee_too_low: submitting(fillOf({ authorization: { maxFee: usd6(1n) } })),
  fill_too_late: submitting(fillOf({ authorization: { deadline: 0 } })),
  fill_refused: async () => {
    const { chain, submit } = await startRelayerServer()
    chain.refusal = refused('SeriesHalted')
    return submit()
  },
  fill_too_expensive: async () => {
    const { chain, submit } = await startRelayerServer()
    chain.refusal = new RfqError('fill_too_expensive')
    return submit()
  },
  fill_in_progress: async () => {
    const { chain, submit } = await startRelayerServer()
    chain.isQuick = false
    await submit()
    return submit(fillOf({ takerSignature: '0x44' }))
  },
  fill_not_found: async () => (await startRelayerServer()).call('GET', `/v1/fills/0x${'ab'.repeat(32)}`),
}
